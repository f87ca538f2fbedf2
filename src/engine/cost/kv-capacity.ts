/** How many blocks of keys and values fit beside the weights. */
import type { DeviceSheet } from './device-sheet.ts';
import { kvSize } from './kv-size.ts';
import { expertBytes, type ModelShape, weightBytes } from './model-shape.ts';
import type { Parallelism } from './roofline.ts';

export interface KvCapacityOptions {
  readonly shape: ModelShape;
  readonly device: DeviceSheet;
  readonly parallelism: Parallelism;
  /** Of each device's memory, what the server may take (vLLM: `gpu_memory_utilization`, 0.9). */
  readonly memoryShare: number;
  /** Activations, workspaces and graphs of each device: 1 to 8 GB. */
  readonly reservedBytes: number;
  readonly blockTokens: number;
}

/**
 * Blocks that one engine has; 0 when not even the weights fit. `null` where a block has no size of
 * its own, because some layers stop growing or keep a state. An estimate: the number in the
 * server's start-up log is the truth, and near the limit a tenth more or less is felt.
 */
export function kvBlocks(options: KvCapacityOptions): number | null {
  const { shape, device, parallelism, memoryShare, reservedBytes, blockTokens } = options;
  const { tensor, expertRanks } = parallelism;
  const size = kvSize(shape, {
    tensorParallel: tensor,
    bytesPerElement: shape.bytesPerElement,
  });
  if (size.windows.length > 0 || size.stateBytes > 0) return null;
  const experts = expertBytes(shape);
  const weights = (weightBytes(shape) - experts + experts / expertRanks) / tensor;
  const freeBytes = device.memoryBytes * memoryShare - weights - reservedBytes;
  return Math.max(0, Math.floor(freeBytes / (size.bytesPerToken * blockTokens)));
}
