/**
 * Draws the pictures of README and guides: runs each guide's own command in an empty folder, then
 * `goodput report --svg`, and keeps the charts named here. Simulated, so equal on every machine.
 *
 *     npm run build && node scripts/guide-images.ts
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Scene {
  /** Commands as the guide has them, without `goodput`. */
  readonly commands: readonly string[];
  /** Run folders of the report. */
  readonly runs: readonly string[];
  /** Chart of the report → file of the picture. */
  readonly pictures: Readonly<Record<string, string>>;
}

const SLO = "--slo 'ttft<=1s, tpot<=15ms, attainment>=95%'";

const SCENES: readonly Scene[] = [
  {
    commands: [
      `simulate --rate 2,4,6,8,10 --duration 5m --input lognormal:1500,0.8,max=16000 --output 128 ${SLO} --out runs/sweep`,
    ],
    runs: ['runs/sweep'],
    pictures: {
      'load-goodput': 'sweep-goodput.svg',
      'load-attainment': 'sweep-attainment.svg',
    },
  },
  {
    commands: [
      `simulate --rate 2,4,8,16 --duration 2m --input lognormal:1500,0.8,max=16000 --output 256 ${SLO} --out runs/simulated`,
    ],
    runs: ['runs/simulated'],
    pictures: { 'load-goodput': 'cliff.svg' },
  },
  {
    commands: [
      `pareto --simulate --max-sequences 8,32 --concurrency 4,16,64 --duration 30s --input 1000 --output 128 --slo 'ttft<=2s, tpot<=20ms, attainment>=95%' --gpus 8 --draws 1 --out runs/pareto`,
    ],
    runs: ['runs/pareto/batch-8-draw-1', 'runs/pareto/batch-32-draw-1'],
    pictures: { pareto: 'pareto.svg' },
  },
  {
    commands: [
      'capacity --preset goodput-sweep --effort smoke --demand 6 --burst 1.1 --out capacity',
    ],
    runs: ['capacity'],
    pictures: { capacity: 'capacity.svg' },
  },
  {
    commands: [
      'simulate --rate 4 --duration 60s --output 64 --exact --slo chat --out before --quiet',
      'simulate --rate 4 --duration 60s --output 64 --exact --slo chat --speed-scale 1.1 --out after --quiet',
    ],
    runs: ['before', 'after'],
    pictures: { 'runs-changes': 'changes.svg', 'runs-tpot': 'two-runs-tpot.svg' },
  },
  {
    commands: [
      "simulate --rate 3 --duration 10s --warmup 2s --input lognormal:500,0.8,max=4000 --output 64 --exact --slo 'ttft<=500ms, tpot<=40ms, attainment>=95%' --out one",
    ],
    runs: ['one'],
    pictures: {
      ttft: 'first-ttft.svg',
      requests: 'first-requests.svg',
    },
  },
];

const IMAGES = fileURLToPath(new URL('../docs/guides/images/', import.meta.url));
const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** Draws the pictures into `folder`, all or those of scenes with a run named so; returns their names. */
export function drawGuideImages(folder: string = IMAGES, run: string | null = null): string[] {
  mkdirSync(folder, { recursive: true });
  const scenes = SCENES.filter(({ runs }) => run === null || runs.includes(run));
  return scenes.flatMap(({ commands, runs, pictures }) => {
    const cwd = mkdtempSync(join(tmpdir(), 'goodput-images-'));
    try {
      for (const command of [...commands, `report ${runs.join(' ')} --svg svg`])
        goodput(command, cwd);
      return Object.entries(pictures).map(([chart, file]) => {
        copyFileSync(join(cwd, 'svg', `${chart}.svg`), join(folder, file));
        return file;
      });
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });
}

/** A missed objective (3) or a verdict without enough data is a result here, not a failure. */
function goodput(command: string, cwd: string): void {
  const script = `"${process.execPath}" "${MAIN}" ${command}; code=$?; [ $code -eq 0 ] || [ $code -eq 3 ]`;
  execFileSync('bash', ['-c', script], { cwd, stdio: 'ignore' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) drawGuideImages();
