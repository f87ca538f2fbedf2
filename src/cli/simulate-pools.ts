/** Options of `goodput simulate` for prefill and decode apart, and for replicas that come and go. */
import { type Command, Option } from 'commander';
import { type JsonValue, usageProblem } from '../base/index.ts';
import type { EngineOptions } from '../engine/index.ts';
import type {
  AutoscalingOptions,
  DisaggregationOptions,
  ScalingMetric,
} from '../simulator/index.ts';
import type { OptionReader } from './option-reader.ts';
import type { StepCost } from './step-cost-option.ts';

export interface PoolFlags {
  readonly decodeReplicas?: string;
  readonly decodeMaxSequences?: string;
  readonly decodeKvBlocks?: string;
  readonly decodeDevice?: string;
  readonly decodeTensorParallel?: string;
  readonly firstToken?: string;
  readonly transferLatency?: string;
  readonly transferBandwidth?: string;
  readonly kvBytesPerToken?: string;
  readonly autoscale?: string;
  readonly minReplicas?: string;
  readonly maxReplicas?: string;
  readonly scaleInterval?: string;
  readonly scaleDownWindow?: string;
  readonly scaleTolerance?: string;
  readonly provisionDelay?: string;
}

const METRICS: Readonly<Record<string, ScalingMetric>> = {
  'in-flight': 'inFlight',
  waiting: 'waiting',
  arrivals: 'arrivals',
};

/** Gigabytes, as data sheets count them. */
const BANDWIDTH = /^(\d+(?:\.\d+)?)(MB|GB|TB)\/s$/;
const BYTES: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9, TB: 1e12 };

export function addPoolOptions(command: Command): Command {
  return command
    .option('--decode-replicas <count>', 'replicas that only decode; --replicas then only prefill')
    .option('--decode-max-sequences <count>', 'most requests in a step there. Left out: the same')
    .option('--decode-kv-blocks <count>', 'blocks of KV memory there. Left out: never short')
    .option('--decode-device <name|@file>', 'device of a decode replica. Left out: the same')
    .option('--decode-tensor-parallel <count>', 'devices of a decode replica. Left out: the same')
    .addOption(
      new Option(
        '--first-token <side>',
        'whose token the user sees first. Left out: prefill, as in DistServe; decode: as in vLLM',
      ).choices(['prefill', 'decode']),
    )
    .option('--transfer-bandwidth <rate>', 'out of a prefill replica: 25GB/s, or unlimited')
    .option('--transfer-latency <duration>', 'of every KV transfer. Left out: none')
    .option('--kv-bytes-per-token <bytes>', 'of all devices together. Left out: by --config')
    .option(
      '--autoscale <metric:target>',
      'replicas so that each has in-flight:8, waiting:2 or arrivals:1.5 (per second)',
    )
    .option('--min-replicas <count>', 'fewest replicas. Left out: 1')
    .option('--max-replicas <count>', 'most replicas')
    .option('--scale-interval <duration>', 'between two evaluations. Left out: 15s')
    .option('--scale-down-window <duration>', 'how long fewer must do first. Left out: 5m')
    .option(
      '--scale-tolerance <share>',
      'of the target, within which nothing changes. Left out: 0.1',
    )
    .option('--provision-delay <duration>', 'from ordering a replica to its first request');
}

const DECODE_FLAGS = {
  decodeMaxSequences: '--decode-max-sequences',
  decodeKvBlocks: '--decode-kv-blocks',
  decodeDevice: '--decode-device',
  decodeTensorParallel: '--decode-tensor-parallel',
  firstToken: '--first-token',
  transferLatency: '--transfer-latency',
  transferBandwidth: '--transfer-bandwidth',
  kvBytesPerToken: '--kv-bytes-per-token',
} as const;

const SCALE_FLAGS = {
  minReplicas: '--min-replicas',
  maxReplicas: '--max-replicas',
  scaleInterval: '--scale-interval',
  scaleDownWindow: '--scale-down-window',
  scaleTolerance: '--scale-tolerance',
  provisionDelay: '--provision-delay',
} as const;

/** What the flags say of prefill and decode apart; the costs of steps and bytes come later. */
export interface DecodeOptions {
  readonly firstToken: DisaggregationOptions['firstToken'];
  readonly replicas: number;
  readonly maxSequences: number | null;
  readonly kvBlocks: number | null;
  readonly latencyNs: number;
  readonly bytesPerSecond: number | null;
  readonly kvBytesPerToken: number | null;
}

/** `null` without `--decode-replicas`. Adds a problem for what is missing or does not apply. */
export function readDecodeOptions(flags: PoolFlags, reader: OptionReader): DecodeOptions | null {
  if (flags.decodeReplicas === undefined) {
    refuse(flags, DECODE_FLAGS, '--decode-replicas', reader);
    return null;
  }
  if (flags.autoscale !== undefined) {
    const message = '--autoscale and --decode-replicas together are not simulated';
    reader.add(
      usageProblem('E_UNSUPPORTED', message, 'simulate fixed numbers of both, one by one'),
    );
  }
  const { transferBandwidth, transferLatency, kvBytesPerToken } = flags;
  const count = (flag: string, text: string | undefined): number | null =>
    text === undefined ? null : reader.count(flag, text);
  return {
    firstToken: flags.firstToken === 'decode' ? 'decode' : 'prefill',
    replicas: reader.count('--decode-replicas', flags.decodeReplicas),
    maxSequences: count('--decode-max-sequences', flags.decodeMaxSequences),
    kvBlocks: count('--decode-kv-blocks', flags.decodeKvBlocks),
    latencyNs:
      transferLatency === undefined
        ? 0
        : reader.durationNs('--transfer-latency', transferLatency, 'any'),
    bytesPerSecond: readBandwidth(transferBandwidth, reader),
    kvBytesPerToken:
      kvBytesPerToken === undefined
        ? null
        : reader.positiveNumber('--kv-bytes-per-token', kvBytesPerToken),
  };
}

function readBandwidth(text: string | undefined, reader: OptionReader): number | null {
  if (text === 'unlimited') return null;
  const match = BANDWIDTH.exec(text ?? '');
  const bytes = Number(match?.[1]) * (BYTES[match?.[2] ?? ''] ?? Number.NaN);
  if (bytes > 0) return bytes;
  const hint = 'write 25GB/s (200 Gbit/s), or unlimited';
  reader.add(
    text === undefined
      ? usageProblem('E_USAGE_MISSING', '--decode-replicas needs --transfer-bandwidth', hint)
      : usageProblem('E_USAGE_VALUE', `--transfer-bandwidth ${text} is not a rate of bytes`, hint),
  );
  return null;
}

/**
 * The decode side beside the prefill side's engine.
 * `decodeCost`: what a step costs there. Errors: none; a problem where bytes a token are not known.
 */
export function disaggregation(
  options: DecodeOptions,
  engine: EngineOptions,
  { decodeCost, reader }: { readonly decodeCost: StepCost; readonly reader: OptionReader },
): DisaggregationOptions {
  const { kvBytesPerToken, maxSequences, kvBlocks, latencyNs, bytesPerSecond } = options;
  const known = decodeCost.kvBytesOf;
  if (kvBytesPerToken === null && known === null) {
    const hint = 'nothing else here tells what a token of context holds';
    reader.add(
      usageProblem('E_USAGE_MISSING', '--decode-replicas needs --kv-bytes-per-token', hint),
    );
  }
  const limits = {
    ...engine.limits,
    maxSequences: maxSequences ?? engine.limits.maxSequences,
    // Who is let in has a token already: there is nobody to tell that the queue is full.
    maxWaiting: null,
  };
  const memory =
    kvBlocks === null
      ? null
      : {
          blocks: kvBlocks,
          blockTokens: engine.memory?.blockTokens ?? DEFAULT_BLOCK_TOKENS,
          prefixCaching: false,
          reserveFullPrompt: true,
        };
  return {
    firstToken: options.firstToken,
    decodeEngine: { ...engine, limits, memory, costModel: decodeCost.model },
    decodeReplicas: options.replicas,
    transfer: {
      latencyNs,
      bytesPerSecond,
      kvBytesOf:
        kvBytesPerToken === null ? (known ?? (() => 0)) : (tokens) => tokens * kvBytesPerToken,
    },
  };
}

const DEFAULT_BLOCK_TOKENS = 16;

/** As manifests have it. */
export function decodeDescription(options: DecodeOptions, decodeCost: StepCost): JsonValue {
  return { ...options, cost: decodeCost.description };
}

/** `null` without `--autoscale`. Adds a problem for what is missing or does not apply. */
export function readAutoscaling(
  flags: PoolFlags,
  replicas: number,
  reader: OptionReader,
): AutoscalingOptions | null {
  if (flags.autoscale === undefined) {
    refuse(flags, SCALE_FLAGS, '--autoscale', reader);
    return null;
  }
  const [word = '', target = '', ...more] = flags.autoscale.split(':');
  const metric = METRICS[word];
  if (metric === undefined || more.length > 0) {
    const message = `--autoscale ${flags.autoscale} is not a metric and its target`;
    const hint = 'write in-flight:8, waiting:2 or arrivals:1.5';
    reader.add(usageProblem('E_USAGE_VALUE', message, hint));
  }
  const required = (flag: string, text: string | undefined, hint: string): string => {
    if (text !== undefined) return text;
    reader.add(usageProblem('E_USAGE_MISSING', `--autoscale needs ${flag}`, hint));
    return '1s';
  };
  const minReplicas = reader.count('--min-replicas', flags.minReplicas ?? '1');
  const most = required('--max-replicas', flags.maxReplicas, 'how many there may be');
  const maxReplicas =
    flags.maxReplicas === undefined ? replicas : reader.count('--max-replicas', most);
  const delay = required('--provision-delay', flags.provisionDelay, 'a cold start, as 90s; or 0s');
  if (replicas < minReplicas || replicas > maxReplicas) {
    const message = `--replicas ${replicas} at the start lies outside ${minReplicas} to ${maxReplicas}`;
    reader.add(usageProblem('E_USAGE_CONFLICT', message, 'start within the bounds'));
  }
  const { scaleInterval = '15s', scaleDownWindow = '5m', scaleTolerance = '0.1' } = flags;
  return {
    metric: metric ?? 'inFlight',
    target: reader.positiveNumber('--autoscale', target),
    minReplicas,
    maxReplicas,
    intervalNs: reader.durationNs('--scale-interval', scaleInterval, 'above0'),
    scaleDownWindowNs: reader.durationNs('--scale-down-window', scaleDownWindow, 'any'),
    provisionNs: reader.durationNs('--provision-delay', delay, 'any'),
    toleranceShare: scaleTolerance === '0' ? 0 : reader.share('--scale-tolerance', scaleTolerance),
  };
}

function refuse(
  flags: PoolFlags,
  names: Readonly<Partial<Record<keyof PoolFlags, string>>>,
  needed: string,
  reader: OptionReader,
): void {
  for (const [name, flag] of Object.entries(names)) {
    if (flags[name as keyof PoolFlags] === undefined) continue;
    reader.add(usageProblem('E_USAGE_MISSING', `${flag} needs ${needed}`));
  }
}
