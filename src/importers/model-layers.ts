/** The layers of a model, alike ones together. */
import type { FeedForward, LayerGroup } from '../engine/index.ts';
import { type ConfigKeys, isMapping } from './config-keys.ts';
import type { ModelFamily } from './model-families.ts';
import { layerSorts, mambaMixer, mixerOf } from './model-mixers.ts';

interface LayerContext {
  readonly family: ModelFamily;
  readonly hiddenSize: number;
}

type Layer = Omit<LayerGroup, 'count'>;

export function layersOf(keys: ConfigKeys, context: LayerContext): LayerGroup[] {
  const pattern = keys.value('hybrid_override_pattern');
  return grouped(
    typeof pattern === 'string'
      ? patternLayers(keys, pattern, context)
      : uniformLayers(keys, context),
  );
}

/** Every layer mixes, then feeds forward. */
function uniformLayers(keys: ConfigKeys, context: LayerContext): Layer[] {
  const layers = keys.count('num_hidden_layers', 'n_layer', 'num_layers');
  const sorts = layerSorts(keys, context.family, layers);
  const experts = expertsOf(keys, context.family);
  const isDense = denseLayers(keys);
  // Of layers that are alike the mixer is read once, so that a mistake in it is told once.
  const mixers = new Map(
    [...new Set(sorts)].map((sort) => [sort, mixerOf(sort, keys, context)] as const),
  );
  const hasDense = experts === null || sorts.some((_, layer) => isDense(layer));
  const dense = hasDense ? denseOf(keys, context) : null;
  return sorts.map((sort, layer) => ({
    mixer: mixers.get(sort) ?? null,
    feedForward: experts === null || isDense(layer) ? dense : experts,
  }));
}

/** Nemotron-H: one letter a layer, and every layer has only one part. */
function patternLayers(keys: ConfigKeys, pattern: string, context: LayerContext): Layer[] {
  const parts: Readonly<Record<string, () => Layer>> = {
    M: () => ({ mixer: mambaMixer(keys, context.hiddenSize), feedForward: null }),
    '*': () => ({ mixer: mixerOf('full', keys, context), feedForward: null }),
    '-': () => ({ mixer: null, feedForward: denseOf(keys, context) }),
    E: () => ({ mixer: null, feedForward: expertsOf(keys, context.family) }),
  };
  const layers = keys.count('num_hidden_layers');
  if (pattern.length !== layers) {
    const message = `hybrid_override_pattern has ${pattern.length} letters for ${layers} layers`;
    keys.wrong('hybrid_override_pattern', message);
  }
  const made = new Map<string, Layer>();
  for (const letter of new Set(pattern)) {
    const make = Object.hasOwn(parts, letter) ? parts[letter] : undefined;
    if (make !== undefined) made.set(letter, make());
    else keys.refuse('hybrid_override_pattern', `layers marked ${letter} are not modelled`);
  }
  return pattern.split('').flatMap((letter) => made.get(letter) ?? []);
}

function denseOf(keys: ConfigKeys, { family, hiddenSize }: LayerContext): FeedForward {
  const names = ['intermediate_size', 'ffn_dim', 'n_inner', 'ffn_hidden_size'];
  // GPT-2 and Falcon leave the width out when it is four times the hidden size.
  const width =
    family.matrices === 2 ? (keys.optionalCount(...names) ?? 4 * hiddenSize) : keys.count(...names);
  return { kind: 'dense', width, matrices: family.matrices };
}

/** `null` for a model without experts. */
function expertsOf(keys: ConfigKeys, { matrices }: ModelFamily): FeedForward | null {
  const names = ['num_local_experts', 'n_routed_experts', 'num_experts', 'moe_num_experts'];
  const experts = keys.optionalCount(...names);
  if (experts === null) return null;
  const active = keys.count('num_experts_per_tok', 'top_k_experts');
  if (active > experts) keys.wrong('num_experts_per_tok', `${active} of ${experts} experts`);
  const width = keys.count('moe_intermediate_size', 'intermediate_size');
  return {
    kind: 'experts',
    experts,
    active,
    width,
    sharedWidth: sharedWidth(keys, width),
    matrices,
  };
}

function sharedWidth(keys: ConfigKeys, expertWidth: number): number {
  // Gemma 4 passes every token through a dense layer beside the experts.
  if (keys.flag('enable_moe_block') === true) return keys.count('intermediate_size');
  const names = ['shared_expert_intermediate_size', 'moe_shared_expert_intermediate_size'];
  const width = keys.optionalCount(...names);
  const shared = keys.optionalCount('n_shared_experts');
  return shared === null ? (width ?? 0) : shared * (width ?? expertWidth);
}

/** Which layers of a model with experts are dense all the same. */
function denseLayers(keys: ConfigKeys): (layer: number) => boolean {
  const first = keys.optionalCount('first_k_dense_replace') ?? 0;
  const step = keys.optionalCount('decoder_sparse_step') ?? 1;
  const only = keys.value('mlp_only_layers');
  const listed = new Set<unknown>(Array.isArray(only) ? only : []);
  return (layer) => layer < first || (layer + 1) % step !== 0 || listed.has(layer);
}

function grouped(layers: readonly Layer[]): LayerGroup[] {
  const groups = new Map<string, { layer: Layer; count: number }>();
  for (const layer of layers) {
    const key = JSON.stringify(layer);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { layer, count: 1 });
    else group.count += 1;
  }
  return [...groups.values()].map(({ layer, count }) => ({ count, ...layer }));
}

/**
 * Refuses what changes memory or cost and is not modelled: better no answer than a wrong one.
 */
export function refuseUnknownLayouts(keys: ConfigKeys): void {
  for (const [name, what] of REFUSED) {
    const value = keys.value(name);
    const isOff = value === undefined || value === false || value === 0;
    if (!isOff) keys.refuse(name, `${what} (${name}) is not modelled`);
  }
  if (keys.value('v_head_dim') !== undefined && keys.value('kv_lora_rank') === undefined) {
    keys.refuse('v_head_dim', 'values of another size than keys (v_head_dim) are not modelled');
  }
  const frequency = keys.value('moe_layer_freq');
  if (frequency !== undefined && frequency !== 1) {
    keys.refuse('moe_layer_freq', 'experts in some layers only (moe_layer_freq) are not modelled');
  }
  const projected = keys.value('word_embed_proj_dim');
  if (projected !== undefined && projected !== keys.value('hidden_size')) {
    keys.refuse('word_embed_proj_dim', 'projected embeddings are not modelled');
  }
}

const REFUSED: readonly (readonly [string, string])[] = [
  ['compress_ratios', 'compression per layer'],
  ['index_topk', 'attention to a picked few tokens'],
  ['swa_num_key_value_heads', 'other heads in sliding layers'],
  ['block_configs', 'a layout per block'],
  ['per_layer_config', 'a layout per layer'],
  ['num_kv_shared_layers', 'a cache shared between layers'],
  ['hidden_size_per_layer_input', 'embeddings per layer'],
  ['attention_chunk_size', 'attention in chunks'],
  ['interleave_moe_layer_step', 'interleaved experts'],
];

/** Bytes of a stored weight in matrices and in experts, for weights of `plainBytes` unquantised. */
export function quantisedBytes(
  keys: ConfigKeys,
  plainBytes: number,
): { readonly linear: number; readonly experts: number } {
  const config = keys.value('quantization_config');
  if (!isMapping(config)) return { linear: plainBytes, experts: plainBytes };
  const method = String(config['quant_method']);
  const both = (bits: number) => ({ linear: bits / 8, experts: bits / 8 });
  switch (method) {
    case 'fp8':
    case 'fbgemm_fp8':
      return both(8);
    case 'mxfp4':
      // Four bits and an 8-bit scale for every 32; experts only.
      return { linear: plainBytes, experts: 4.25 / 8 };
    case 'awq':
    case 'gptq':
      if (config['bits'] === 4 || config['bits'] === 8) return both(config['bits']);
      break;
    case 'compressed-tensors': {
      const bits = groupBits(config['config_groups']);
      if (bits !== null) return both(bits);
      break;
    }
    default:
      break;
  }
  keys.refuse('quantization_config', `quantisation ${method} with these settings is not modelled`);
  return both(8);
}

/** The bits that all groups agree on; `null` when they do not. */
function groupBits(groups: unknown): number | null {
  if (!isMapping(groups)) return null;
  const bits = new Set(
    Object.values(groups).map((group) =>
      isMapping(group) && isMapping(group['weights']) ? group['weights']['num_bits'] : null,
    ),
  );
  const [only] = bits;
  return bits.size === 1 && typeof only === 'number' ? only : null;
}
