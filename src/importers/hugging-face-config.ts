/**
 * A model's `config.json` as Hugging Face keeps it → the shape that decides its memory and cost.
 * Names of keys differ between model families, and some layouts are told by keys that a reader of
 * the usual ones would pass over: what is not known is refused by name, never guessed.
 */
import { nearestWord } from '../base/index.ts';
import type { ModelShape } from '../engine/index.ts';
import { ConfigKeys, isMapping } from './config-keys.ts';
import type { Imported } from './import-result.ts';
import { MODEL_FAMILIES } from './model-families.ts';
import { layersOf, quantisedBytes, refuseUnknownLayouts } from './model-layers.ts';
import { parseJson } from './placed-json.ts';
import { ProblemList } from './problem-list.ts';

/** Bytes of an element by `torch_dtype` or `dtype`. */
const TYPE_BYTES: Readonly<Record<string, number>> = { float32: 4, bfloat16: 2, float16: 2 };

/** Reads a whole `config.json`. Notes say what was assumed. */
export function parseModelConfig(
  text: string,
  { file }: { readonly file: string },
): Imported<ModelShape> {
  const problems = new ProblemList(file);
  const fail = (): Imported<never> => ({ kind: 'problems', problems: problems.toProblems() });
  const parsed = parseJson(text);
  if (parsed.kind === 'invalid') {
    const message = 'not valid JSON';
    problems.add({ code: 'E_CONFIG_SYNTAX', ...parsed.place, message, hint: null });
    return fail();
  }
  if (!isMapping(parsed.value)) {
    const message = 'not a JSON object';
    problems.add({ code: 'E_CONFIG_SYNTAX', line: 1, column: 1, message, hint: null });
    return fail();
  }
  const keys = new ConfigKeys(text, parsed.value, problems);
  const modelType = String(keys.value('model_type'));
  const family = Object.hasOwn(MODEL_FAMILIES, modelType) ? MODEL_FAMILIES[modelType] : undefined;
  if (family === undefined) {
    const known = Object.keys(MODEL_FAMILIES);
    const near = nearestWord(modelType, known);
    keys.refuse(
      'model_type',
      `the layout of model type ${modelType} is not known` +
        (near === null ? `; known are ${known.join(', ')}` : `; did you mean ${near}?`),
    );
    return fail();
  }
  refuseUnknownLayouts(keys);
  const hiddenSize = keys.count('hidden_size', 'n_embd');
  const type = keys.value('torch_dtype', 'dtype');
  const elementBytes = typeof type === 'string' ? TYPE_BYTES[type] : undefined;
  if (type !== undefined && elementBytes === undefined) {
    keys.refuse('torch_dtype', `elements of type ${JSON.stringify(type)} are not modelled`);
  }
  const bytesPerElement = elementBytes ?? 2;
  const shape: ModelShape = {
    modelType,
    hiddenSize,
    vocabulary: keys.count('vocab_size'),
    tiedEmbeddings: keys.flag('tie_word_embeddings') ?? family.tied,
    layers: layersOf(keys, { family, hiddenSize }),
    bytesPerWeight: { ...quantisedBytes(keys, bytesPerElement), embeddings: bytesPerElement },
    bytesPerElement,
  };
  if (problems.count > 0) return fail();
  const notes = type === undefined ? ['no torch_dtype: 16-bit elements assumed'] : [];
  return { kind: 'imported', value: shape, notes };
}
