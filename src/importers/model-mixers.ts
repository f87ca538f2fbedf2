/** The mixers of a model's layers: attention, latent attention, recurrent state. */
import type { Mixer } from '../engine/index.ts';
import type { ConfigKeys } from './config-keys.ts';
import type { ModelFamily } from './model-families.ts';

/** Sorts of layers, as `layer_types` and pattern strings tell them apart. */
export type LayerSort = 'full' | 'sliding' | 'linear';

const LAYER_TYPES: Readonly<Record<string, LayerSort>> = {
  full_attention: 'full',
  sliding_attention: 'sliding',
  linear_attention: 'linear',
};

/** The sort of every layer, first to last. */
export function layerSorts(keys: ConfigKeys, family: ModelFamily, layers: number): LayerSort[] {
  const every = (sortOf: (layer: number) => LayerSort): LayerSort[] =>
    Array.from({ length: layers }, (_, layer) => sortOf(layer));
  const types = keys.words('layer_types');
  if (types !== null) {
    if (types.length !== layers) {
      keys.wrong('layer_types', `layer_types has ${types.length} entries for ${layers} layers`);
    }
    const unknown = types.find((type) => !Object.hasOwn(LAYER_TYPES, type));
    if (unknown !== undefined) {
      keys.refuse('layer_types', `layers of type ${unknown} are not modelled`);
    }
    return types.map((type) => LAYER_TYPES[type] ?? 'full');
  }
  const interval = keys.optionalCount('full_attention_interval');
  if (interval !== null) return every((layer) => (lastOf(layer, interval) ? 'full' : 'linear'));
  if (keys.value('sliding_window') === undefined || keys.flag('use_sliding_window') === false) {
    return every(() => 'full');
  }
  const windows = keys.optionalCount('sliding_window_pattern') ?? family.windows;
  if (windows === 'all') return every(() => 'sliding');
  if (windows === null) {
    keys.refuse('sliding_window', 'a sliding window, and nothing says for which layers');
    return every(() => 'full');
  }
  return every((layer) => (lastOf(layer, windows) ? 'full' : 'sliding'));
}

function lastOf(layer: number, interval: number): boolean {
  return (layer + 1) % interval === 0;
}

/** The mixer of a layer of that sort. */
export function mixerOf(
  sort: LayerSort,
  keys: ConfigKeys,
  { family, hiddenSize }: { readonly family: ModelFamily; readonly hiddenSize: number },
): Mixer {
  if (sort === 'linear') return gatedDelta(keys, hiddenSize);
  const queryHeads = keys.count('num_attention_heads', 'n_head');
  if (keys.value('kv_lora_rank') !== undefined) return latent(keys, queryHeads);
  const kvHeads = keyValueHeads(keys, queryHeads);
  const headSize = headSizeOf(keys, hiddenSize, queryHeads);
  const isGlobal = sort === 'full' && keys.value('global_head_dim') !== undefined;
  return {
    kind: 'attention',
    queryHeads,
    kvHeads: isGlobal ? (keys.optionalCount('num_global_key_value_heads') ?? kvHeads) : kvHeads,
    headSize: isGlobal ? keys.count('global_head_dim') : headSize,
    windowTokens: sort === 'sliding' ? keys.count('sliding_window') : null,
    gated: keys.flag('attn_output_gate') ?? family.gatedAttention,
  };
}

function keyValueHeads(keys: ConfigKeys, queryHeads: number): number {
  // Falcon: one head for all queries, whatever `num_kv_heads` says, save in the newer layout.
  if (keys.flag('multi_query') === true && keys.flag('new_decoder_architecture') !== true) return 1;
  const names = ['num_key_value_heads', 'num_kv_heads', 'n_head_kv', 'multi_query_group_num'];
  return keys.optionalCount(...names) ?? queryHeads;
}

function headSizeOf(keys: ConfigKeys, hiddenSize: number, queryHeads: number): number {
  const given = keys.optionalCount('head_dim', 'attention_head_dim');
  if (given !== null) return given;
  const derived = hiddenSize / queryHeads;
  if (Number.isInteger(derived)) return derived;
  keys.wrong(
    'num_attention_heads',
    `${queryHeads} heads do not divide a hidden size of ${hiddenSize}, and there is no head_dim`,
  );
  return 1;
}

function latent(keys: ConfigKeys, queryHeads: number): Mixer {
  return {
    kind: 'latent',
    queryHeads,
    kvRank: keys.count('kv_lora_rank'),
    ropeSize: keys.count('qk_rope_head_dim'),
    nopeSize: keys.count('qk_nope_head_dim'),
    valueSize: keys.count('v_head_dim'),
    queryRank: keys.optionalCount('q_lora_rank'),
  };
}

/** Gated delta rule (Qwen3-Next and after): a matrix of key size × value size per value head. */
function gatedDelta(keys: ConfigKeys, hiddenSize: number): Mixer {
  const valueHeads = keys.count('linear_num_value_heads');
  const keySize = keys.count('linear_key_head_dim');
  const valueSize = keys.count('linear_value_head_dim');
  const kernel = keys.count('linear_conv_kernel_dim');
  const keyWidth = keys.count('linear_num_key_heads') * keySize;
  const valueWidth = valueHeads * valueSize;
  const channels = 2 * keyWidth + valueWidth;
  const projections = 2 * keyWidth + 2 * valueWidth + 2 * valueHeads + valueWidth;
  return {
    kind: 'state',
    stateElements: valueHeads * keySize * valueSize,
    historyElements: channels * (kernel - 1),
    parameters: hiddenSize * projections + channels * kernel,
  };
}

/** Mamba 2, as in Nemotron-H. */
export function mambaMixer(keys: ConfigKeys, hiddenSize: number): Mixer {
  const heads = keys.count('mamba_num_heads');
  const stateSize = keys.count('ssm_state_size');
  const kernel = keys.count('conv_kernel');
  const width = heads * keys.count('mamba_head_dim');
  const groupWidth = 2 * keys.count('n_groups') * stateSize;
  const channels = width + groupWidth;
  return {
    kind: 'state',
    stateElements: width * stateSize,
    historyElements: channels * (kernel - 1),
    parameters: hiddenSize * (2 * width + groupWidth + heads + width) + channels * kernel,
  };
}
