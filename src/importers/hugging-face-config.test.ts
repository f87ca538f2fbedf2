import { describe, expect, test } from 'vitest';
import type { Mixer, ModelShape } from '../engine/index.ts';
import { parseModelConfig } from './hugging-face-config.ts';

const LLAMA = {
  model_type: 'llama',
  hidden_size: 64,
  num_hidden_layers: 4,
  num_attention_heads: 8,
  num_key_value_heads: 2,
  intermediate_size: 100,
  vocab_size: 1_000,
  torch_dtype: 'bfloat16',
};

function read(config: object): ModelShape {
  const result = parseModelConfig(JSON.stringify(config), { file: 'config.json' });
  if (result.kind === 'problems') throw new Error(JSON.stringify(result.problems));
  return result.value;
}

/** `CODE line:column message` of every problem. */
function problems(config: object | string): string[] {
  const text = typeof config === 'string' ? config : JSON.stringify(config, null, 1);
  const result = parseModelConfig(text, { file: 'config.json' });
  if (result.kind !== 'problems') throw new Error('it was read');
  return result.problems.map(
    ({ code, place, message }) => `${code} ${place?.line}:${place?.column} ${message}`,
  );
}

function mixers(config: object): (Mixer | null)[] {
  return read(config).layers.flatMap(({ count, mixer }) =>
    Array.from({ length: count }, () => mixer),
  );
}

describe('attention', () => {
  test('heads are hidden size over count unless the config says otherwise', () => {
    expect(mixers(LLAMA)[0]).toMatchObject({ queryHeads: 8, kvHeads: 2, headSize: 8 });
    expect(mixers({ ...LLAMA, head_dim: 16 })[0]).toMatchObject({ headSize: 16 });
  });

  test('without KV heads every query head has its own', () => {
    const { num_key_value_heads: _, ...mha } = LLAMA;
    expect(mixers(mha)[0]).toMatchObject({ kvHeads: 8 });
  });

  test('Falcon: one head for all, whatever num_kv_heads says, save in the newer layout', () => {
    const falcon = {
      model_type: 'falcon',
      hidden_size: 64,
      num_hidden_layers: 2,
      num_attention_heads: 8,
      num_kv_heads: 8,
      multi_query: true,
      vocab_size: 1_000,
    };
    expect(mixers(falcon)[0]).toMatchObject({ kvHeads: 1 });
    expect(mixers({ ...falcon, new_decoder_architecture: true })[0]).toMatchObject({ kvHeads: 8 });
    expect(read(falcon).layers[0]?.feedForward).toEqual({ kind: 'dense', width: 256, matrices: 2 });
  });

  test('GPT-2’s own names', () => {
    const gpt2 = { model_type: 'gpt2', n_embd: 64, n_head: 8, n_layer: 3, vocab_size: 10 };
    const shape = read({ ...gpt2, n_inner: null });
    expect(shape.layers).toHaveLength(1);
    expect(shape.layers[0]).toMatchObject({ count: 3, feedForward: { width: 256 } });
    expect(shape.tiedEmbeddings).toBe(true);
  });
});

describe('windows', () => {
  const windows = (config: object): (number | null)[] =>
    mixers(config).map((mixer) => (mixer?.kind === 'attention' ? mixer.windowTokens : NaN));

  test('Mistral slides in every layer, or in none when there is no window', () => {
    const mistral = { ...LLAMA, model_type: 'mistral' };
    expect(windows({ ...mistral, sliding_window: 32 })).toEqual([32, 32, 32, 32]);
    expect(windows({ ...mistral, sliding_window: null })).toEqual([null, null, null, null]);
  });

  test('Qwen names a window and does not use it', () => {
    const qwen = { ...LLAMA, model_type: 'qwen2', sliding_window: 32 };
    expect(windows({ ...qwen, use_sliding_window: false })).toEqual([null, null, null, null]);
    expect(problems({ ...qwen, use_sliding_window: true })[0]).toMatch(
      /^E_UNSUPPORTED .*nothing says for which layers/,
    );
  });

  test('Gemma: one global layer in so many', () => {
    const gemma = { ...LLAMA, model_type: 'gemma2', sliding_window: 32 };
    expect(new Set(windows(gemma))).toEqual(new Set([32, null]));
    const pattern = { ...gemma, model_type: 'gemma3_text', sliding_window_pattern: 4 };
    expect(windows(pattern).filter((window) => window === null)).toHaveLength(1);
  });
});

describe('experts', () => {
  const moe = { ...LLAMA, num_experts: 8, num_experts_per_tok: 2, moe_intermediate_size: 30 };

  test('first layers may be dense', () => {
    const shape = read({ ...moe, model_type: 'deepseek_v3', first_k_dense_replace: 1 });
    expect(shape.layers.map(({ count, feedForward }) => [count, feedForward?.kind])).toEqual([
      [1, 'dense'],
      [3, 'experts'],
    ]);
  });

  test('every second layer, save listed ones', () => {
    const shape = read({
      ...moe,
      model_type: 'qwen2_moe',
      decoder_sparse_step: 2,
      mlp_only_layers: [3],
    });
    expect(shape.layers.map(({ count, feedForward }) => [count, feedForward?.kind])).toEqual([
      [3, 'dense'],
      [1, 'experts'],
    ]);
  });

  test('shared experts are as wide as they are many', () => {
    const shape = read({ ...moe, model_type: 'deepseek_v3', n_shared_experts: 2 });
    expect(shape.layers[0]?.feedForward).toMatchObject({ sharedWidth: 60 });
  });

  test('more active than there are is a mistake', () => {
    expect(problems({ ...moe, num_experts_per_tok: 9 })[0]).toMatch(/9 of 8 experts/);
  });
});

describe('weights', () => {
  const bytes = (config: object) => read({ ...LLAMA, ...config }).bytesPerWeight;

  test.each([
    [{ quant_method: 'fp8' }, 1],
    [{ quant_method: 'awq', bits: 4 }, 0.5],
    [{ quant_method: 'gptq', bits: 8 }, 1],
    [
      {
        quant_method: 'compressed-tensors',
        config_groups: { group_0: { weights: { num_bits: 4 } } },
      },
      0.5,
    ],
  ])('%j', (quantization, linear) => {
    const read_ = bytes({ quantization_config: quantization });
    expect(read_).toEqual({ linear, experts: linear, embeddings: 2 });
  });

  test('32-bit elements', () => {
    expect(bytes({ torch_dtype: 'float32' }).linear).toBe(4);
  });

  test('a type that is not told is assumed, and said', () => {
    const { torch_dtype: _, ...untold } = LLAMA;
    const result = parseModelConfig(JSON.stringify(untold), { file: 'config.json' });
    expect(result.kind === 'imported' && result.notes).toEqual([
      'no torch_dtype: 16-bit elements assumed',
    ]);
  });
});

describe('what is not modelled is refused by name, at its key', () => {
  test.each([
    [{ compress_ratios: [1] }, /compress_ratios/],
    [{ index_topk: 2_048 }, /index_topk/],
    [{ v_head_dim: 128 }, /v_head_dim/],
    [{ swa_num_key_value_heads: 8 }, /swa_num_key_value_heads/],
    [{ block_configs: [] }, /block_configs/],
    [{ num_kv_shared_layers: 10 }, /num_kv_shared_layers/],
    [{ layer_types: ['chunked_attention', 'a', 'b', 'c'] }, /chunked_attention/],
    [{ quantization_config: { quant_method: 'awq', bits: 3 } }, /quantisation awq/],
    [{ quantization_config: { quant_method: 'novel' } }, /quantisation novel/],
    [{ torch_dtype: 'float8' }, /float8/],
  ])('%j', (key, message) => {
    const [first] = problems({ ...LLAMA, ...key });
    expect(first).toMatch(/^E_UNSUPPORTED 10:|^E_UNSUPPORTED 9:/);
    expect(first).toMatch(message);
  });

  test('a key that is there and off is nothing to refuse', () => {
    expect(read({ ...LLAMA, num_kv_shared_layers: 0, block_configs: null }).layers).toHaveLength(1);
  });

  test('an unknown model type', () => {
    expect(problems({ ...LLAMA, model_type: 'lama' })).toEqual([
      expect.stringMatching(/^E_UNSUPPORTED 2:.*lama is not known; did you mean llama/),
    ]);
    expect(problems({})[0]).toMatch(/known are deepseek_v2/);
  });
});

describe('mistakes', () => {
  test('are told together, each at its place', () => {
    const config = { ...LLAMA, hidden_size: '64', vocab_size: 0, num_attention_heads: undefined };
    expect(problems(config)).toEqual([
      'E_CONFIG_MISSING_KEY 1:1 num_attention_heads or n_head is missing',
      'E_CONFIG_VALUE 3:17 hidden_size is not a whole number ≥ 1',
      'E_CONFIG_VALUE 7:16 vocab_size is 0',
    ]);
  });

  test('are told where they stand in text_config', () => {
    const config = {
      model_type: 'gemma3',
      text_config: { ...LLAMA, model_type: 'gemma3_text', head_dim: 'x' },
    };
    expect(problems(config)).toEqual([
      expect.stringMatching(/^E_CONFIG_VALUE \d+:15 text_config\.head_dim is not a whole number/),
    ]);
  });

  test('heads that do not divide the hidden size need a head_dim', () => {
    expect(problems({ ...LLAMA, hidden_size: 65 })[0]).toMatch(/8 heads do not divide .* 65/);
  });

  test('layer types must be as many as layers', () => {
    const layer_types = ['full_attention'];
    expect(problems({ ...LLAMA, layer_types })[0]).toMatch(/1 entries for 4 layers/);
  });

  test('what is no JSON, or no object', () => {
    expect(problems('{"a": 1,,}')).toEqual(['E_CONFIG_SYNTAX 1:9 not valid JSON']);
    expect(problems('[1]')).toEqual(['E_CONFIG_SYNTAX 1:1 not a JSON object']);
  });
});
