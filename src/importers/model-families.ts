/** What the `model_type` of a config tells that none of its keys does. */

export interface ModelFamily {
  /** Matrices of a feed-forward: three when a gate multiplies it, else two. */
  readonly matrices: 2 | 3;
  /** What `tie_word_embeddings` is when it is not written. */
  readonly tied: boolean;
  /**
   * Which layers a `sliding_window` is for when nothing else says so: all of them, or all but every
   * n-th. `null` = the config must say.
   */
  readonly windows: 'all' | number | null;
  /** Whether a gate as large as the queries multiplies the output of attention. */
  readonly gatedAttention: boolean;
}

const PLAIN: ModelFamily = { matrices: 3, tied: false, windows: null, gatedAttention: false };
const UNGATED: ModelFamily = { ...PLAIN, matrices: 2 };
const GEMMA: ModelFamily = { ...PLAIN, tied: true };
const QWEN_NEXT: ModelFamily = { ...PLAIN, gatedAttention: true };

/** Model types whose layout is known here. Others are refused. */
export const MODEL_FAMILIES: Readonly<Record<string, ModelFamily>> = {
  deepseek_v2: PLAIN,
  deepseek_v3: PLAIN,
  falcon: { ...UNGATED, tied: true },
  gemma2: { ...GEMMA, windows: 2 },
  gemma3: { ...GEMMA, windows: 6 },
  gemma3_text: { ...GEMMA, windows: 6 },
  gemma4: GEMMA,
  gemma4_text: GEMMA,
  gpt2: { ...UNGATED, tied: true },
  gpt_neox: UNGATED,
  gpt_oss: PLAIN,
  granite: PLAIN,
  kimi_k2: PLAIN,
  llama: PLAIN,
  mistral: { ...PLAIN, windows: 'all' },
  mixtral: { ...PLAIN, windows: 'all' },
  nemotron_h: UNGATED,
  olmo2: PLAIN,
  opt: { ...UNGATED, tied: true },
  phi3: { ...PLAIN, windows: 'all' },
  qwen2: PLAIN,
  qwen2_moe: PLAIN,
  qwen3: PLAIN,
  qwen3_5: QWEN_NEXT,
  qwen3_5_moe: QWEN_NEXT,
  qwen3_5_moe_text: QWEN_NEXT,
  qwen3_5_text: QWEN_NEXT,
  qwen3_moe: PLAIN,
  qwen3_next: QWEN_NEXT,
  starcoder2: { ...UNGATED, tied: true, windows: 'all' },
};
