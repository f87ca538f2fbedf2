/** Data-sheet figures of accelerators: what a device could do at best. */

export interface DeviceSheet {
  readonly name: string;
  readonly memoryBytes: number;
  readonly memoryBytesPerSecond: number;
  /** Dense 16-bit arithmetic, no sparsity. */
  readonly flopPerSecond: number;
  /** One direction of the link between two devices of one server. */
  readonly linkBytesPerSecond: number;
}

const GB = 1e9;
const TERA = 1e12;

/** The sheets that ship, by the name `--device` takes. 16-bit figures without sparsity. */
export const DEVICE_SHEETS: Readonly<Record<string, DeviceSheet>> = {
  'a100-80gb': {
    name: 'a100-80gb',
    memoryBytes: 80 * GB,
    memoryBytesPerSecond: 2.04 * TERA,
    flopPerSecond: 312 * TERA,
    linkBytesPerSecond: 300 * GB,
  },
  'h100-sxm': {
    name: 'h100-sxm',
    memoryBytes: 80 * GB,
    memoryBytesPerSecond: 3.35 * TERA,
    flopPerSecond: 989 * TERA,
    linkBytesPerSecond: 450 * GB,
  },
  h200: {
    name: 'h200',
    memoryBytes: 141 * GB,
    memoryBytesPerSecond: 4.8 * TERA,
    flopPerSecond: 989 * TERA,
    linkBytesPerSecond: 450 * GB,
  },
  // No NVLink: PCIe 4.0 and 5.0, 16 lanes. Peer traffic often crosses the host and gets less.
  'rtx-4090': {
    name: 'rtx-4090',
    memoryBytes: 24 * GB,
    memoryBytesPerSecond: 1.008 * TERA,
    flopPerSecond: 165 * TERA,
    linkBytesPerSecond: 32 * GB,
  },
  'rtx-pro-6000': {
    name: 'rtx-pro-6000',
    memoryBytes: 96 * GB,
    memoryBytesPerSecond: 1.597 * TERA,
    flopPerSecond: 504 * TERA,
    linkBytesPerSecond: 64 * GB,
  },
};
