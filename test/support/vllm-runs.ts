/**
 * Four runs of real vLLM 0.19 servers that LLMServingSim published with its own answers: 300 requests
 * of ShareGPT lengths at 10/s, far past what the servers carry. Read in place.
 */
import { readFileSync } from 'node:fs';
import {
  type FitOptions,
  observeRun,
  type ServedRun,
  type ServerSetup,
} from '../../src/calibration/index.ts';
import { DEVICE_SHEETS, type DeviceSheet } from '../../src/engine/index.ts';
import {
  type Imported,
  type LlmServingSimArrival,
  type LlmServingSimSettings,
  parseLlmServingSimLog,
  parseLlmServingSimMeta,
} from '../../src/importers/index.ts';
import { modelShape } from './model-configs.ts';
import { sharedData } from './shared-data.ts';

export interface VllmRun {
  readonly name: string;
  readonly settings: LlmServingSimSettings;
  readonly served: ServedRun;
  readonly fit: FitOptions;
}

const RUNS = {
  'rtxpro6000-llama3.1-8b': { model: 'llama-3.1-8b', device: 'rtx-pro-6000' },
  'rtx4090-llama3.1-8b': { model: 'llama-3.1-8b', device: 'rtx-4090' },
  'rtxpro6000-tp2-qwen3-32b': { model: 'qwen3-32b', device: 'rtx-pro-6000' },
  'rtxpro6000-dp2ep2-qwen3-30b-a3b': { model: 'qwen3-30b-a3b', device: 'rtx-pro-6000' },
} as const;

export type VllmRunName = keyof typeof RUNS;

export const VLLM_RUNS = Object.keys(RUNS) as readonly VllmRunName[];

/** Folder of the runs, `null` where the data is absent. */
export const VLLM_RUN_DATA = sharedData('traces/llmservingsim-vllm');

/** What the publishers set for the two devices' link: a peer copy through the host. */
const MEASURED_LINK = { linkBytesPerSecond: 16e9 };

export function readVllmRun(
  name: VllmRunName,
  arrival: LlmServingSimArrival = 'frontEnd',
): VllmRun {
  const read = (file: string): string => readFileSync(`${VLLM_RUN_DATA}/${name}/${file}`, 'utf8');
  const settings = valueOf(parseLlmServingSimMeta(read('meta.json'), { file: 'meta.json' }));
  const records = valueOf(
    parseLlmServingSimLog(read('requests.jsonl'), { file: 'requests.jsonl', arrival }),
  );
  const { model, device } = RUNS[name];
  const sheet: DeviceSheet = { ...(DEVICE_SHEETS[device] as DeviceSheet), ...MEASURED_LINK };
  return {
    name,
    settings,
    served: { observed: observeRun(name, records), setup: setupOf(settings) },
    fit: {
      shape: modelShape(model),
      device: sheet,
      parallelism: {
        tensor: settings.tensorParallel,
        expertRanks: settings.expertParallel ? settings.dataParallel : 1,
      },
      provenance: `${name}, vLLM ${settings.engineVersion}`,
    },
  };
}

function setupOf(settings: LlmServingSimSettings): ServerSetup {
  const { kvBlocks, kvBlockTokens } = settings;
  return {
    limits: {
      tokenBudget: settings.tokenBudget,
      maxSequences: settings.maxSequences,
      maxWaiting: null,
      maxModelTokens: null,
      longPrefillTokenThreshold: null,
    },
    memory:
      kvBlocks === null || kvBlockTokens === null
        ? null
        : {
            blocks: kvBlocks,
            blockTokens: kvBlockTokens,
            prefixCaching: true,
            reserveFullPrompt: true,
          },
    // The one run that tells its settings in full left it at the default of this version.
    plansAhead: settings.asyncScheduling ?? true,
    engines: settings.dataParallel,
  };
}

function valueOf<T>(imported: Imported<T>): T {
  if (imported.kind === 'problems') throw new Error(JSON.stringify(imported.problems));
  return imported.value;
}
