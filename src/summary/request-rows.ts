/** The rows of a load point as columns: a run of any length keeps under 250 bytes a request. */
import type { RequestRow } from './request-row.ts';
import type { ClientDoubt } from './validity-doubt.ts';

/** Rows of a block: its columns are allocated together, and never moved. */
const BLOCK_ROWS = 1_024;

/** The numbers of a row, each a column; NaN stands for `null`. */
const NUMBERS = [
  'scheduleIndex',
  'attempt',
  'joinedTries',
  'plannedNs',
  'dispatchedNs',
  'endNs',
  'releasedNs',
  'inFlightCount',
  'ttftFromPlannedNs',
  'ttftFromDispatchNs',
  'firstAnswerFromPlannedNs',
  'firstAnswerFromDispatchNs',
  'tpotNs',
  'completionNs',
  'completionFromPlannedNs',
  'queueNs',
  'gapCount',
  'zeroGapCount',
  'promptTokens',
  'cachedPromptTokens',
  'outputTokens',
  'outputTokensMax',
  'outputTokensInSteady',
] as const satisfies readonly (keyof RequestRow)[];

/** What else a row says. A run knows few combinations, so each is kept once. */
const TRAITS = [
  'outcome',
  'verdict',
  'unjudgedReason',
  'correctness',
  'objectives',
  'dropReason',
  'failure',
  'finishReason',
  'promptBucket',
  'promptTokensFrom',
  'outputBucket',
  'connection',
  'address',
  'tenant',
  'class',
  'tpotBasis',
  'alignmentBroken',
  'lostOnReuse',
] as const satisfies readonly (keyof RequestRow)[];

type Traits = Pick<RequestRow, (typeof TRAITS)[number]>;

interface Block {
  /** Column after column. */
  readonly numbers: Float64Array;
  readonly traits: Traits[];
  /** Only of rows that the client's own error could reach. */
  readonly doubts: Map<number, ClientDoubt>;
}

/** Takes rows and gives them back as views that cost little beside what they show. */
export class RequestRows {
  readonly #blocks: Block[] = [];
  /** By the states of the objectives, which are shared already, and a text of the rest. */
  readonly #traits = new Map<RequestRow['objectives'], Map<string, Traits>>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(row: RequestRow): void {
    const at = this.#length % BLOCK_ROWS;
    if (at === 0) {
      const numbers = new Float64Array(NUMBERS.length * BLOCK_ROWS);
      this.#blocks.push({ numbers, traits: [], doubts: new Map() });
    }
    this.#length += 1;
    const block = this.#blocks.at(-1) as Block;
    for (const [column, name] of NUMBERS.entries()) {
      block.numbers[column * BLOCK_ROWS + at] = row[name] ?? Number.NaN;
    }
    block.traits.push(this.#shared(row));
    if (!isUntouched(row)) block.doubts.set(at, row.doubt);
  }

  /** In the order they came. Each is a view: spread copies nothing of it, {@link changedRow} does. */
  views(): RequestRow[] {
    return this.#blocks.flatMap((block) =>
      block.traits.map((_, at) => new RowView(block, at) as unknown as RequestRow),
    );
  }

  #shared(row: RequestRow): Traits {
    let known = this.#traits.get(row.objectives);
    if (known === undefined) {
      known = new Map();
      this.#traits.set(row.objectives, known);
    }
    const key = keyOf(row);
    let traits = known.get(key);
    if (traits === undefined) {
      traits = Object.fromEntries(TRAITS.map((name) => [name, row[name]])) as unknown as Traits;
      known.set(key, traits);
    }
    return traits;
  }
}

/** The same row with other values in some places. */
export function changedRow(row: RequestRow, changes: Partial<RequestRow>): RequestRow {
  const copy: Record<string, unknown> = {};
  for (const name of NUMBERS) copy[name] = row[name];
  for (const name of TRAITS) copy[name] = row[name];
  return Object.assign(copy, { doubt: row.doubt }, changes) as unknown as RequestRow;
}

/** Texts of servers and users are told apart from no text, and from one another. */
function keyOf(row: RequestRow): string {
  const { unjudgedReason, dropReason, failure, finishReason, promptBucket, tenant } = row;
  return (
    `${row.outcome}/${row.verdict}/${row.correctness}/${promptBucket}/${row.promptTokensFrom}/` +
    `${row.outputBucket}/${row.connection}/${row.tpotBasis}/${row.alignmentBroken}/` +
    `${row.lostOnReuse}/${quoted(row.address)}/${unjudgedReason}/${dropReason}/${failure}/` +
    `${quoted(finishReason)}/${quoted(tenant)}/${quoted(row.class)}`
  );
}

function quoted(text: string | null): string {
  return text === null ? '' : JSON.stringify(text);
}

/** What the client's own error did to a row that it did not reach. */
function noDoubt(row: Omit<RequestRow, 'doubt'>): ClientDoubt {
  return {
    kindest: row.verdict,
    harshest: row.verdict,
    errorNs: 0,
    firstErrorNs: 0,
    doneErrorNs: 0,
    tpotKindestNs: row.tpotNs,
    tpotHarshestNs: row.tpotNs,
    calmGapCount: row.gapCount,
    calmZeroGapCount: row.zeroGapCount,
  };
}

function isUntouched(row: RequestRow): boolean {
  const { doubt } = row;
  return (
    doubt.errorNs === 0 &&
    doubt.firstErrorNs === 0 &&
    doubt.doneErrorNs === 0 &&
    doubt.kindest === row.verdict &&
    doubt.harshest === row.verdict &&
    doubt.tpotKindestNs === row.tpotNs &&
    doubt.tpotHarshestNs === row.tpotNs &&
    doubt.calmGapCount === row.gapCount &&
    doubt.calmZeroGapCount === row.zeroGapCount
  );
}

/** One row of a block, read when asked: its other properties are defined below, one a column. */
class RowView {
  readonly block: Block;
  readonly at: number;

  constructor(block: Block, at: number) {
    this.block = block;
    this.at = at;
  }

  get doubt(): ClientDoubt {
    return this.block.doubts.get(this.at) ?? noDoubt(this as unknown as RequestRow);
  }
}

for (const [column, name] of NUMBERS.entries()) {
  Object.defineProperty(RowView.prototype, name, {
    get(this: RowView): number | null {
      const value = this.block.numbers[column * BLOCK_ROWS + this.at] as number;
      return Number.isNaN(value) ? null : value;
    },
  });
}

for (const name of TRAITS) {
  Object.defineProperty(RowView.prototype, name, {
    get(this: RowView): unknown {
      return (this.block.traits[this.at] as Traits)[name];
    },
  });
}
