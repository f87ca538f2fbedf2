/** The top of the page: what it came to, how sure, and whether it may be trusted. */
import { markup, type Markup } from '../../base/index.ts';
import { objectiveText } from '../../slo/index.ts';
import type { Summary, ValidityReason } from '../../summary/index.ts';
import { certaintyLines } from '../certainty.ts';
import { kneeText } from '../knee-text.ts';
import { attainmentText, provenanceText, targetText, verdictWord } from '../words.ts';

export function verdictSection(summary: Summary): Markup {
  const { objective, points, knee } = summary;
  const kind = points[0]?.load.kind;
  const results = points.flatMap((point) =>
    point.population.map((result) => {
      const load = points.length > 1 ? `${point.load.label}: ` : '';
      return markup`<li>${load}${targetText(result)}</li>`;
    }),
  );
  const [only] = points;
  const single = points.length === 1 && only !== undefined ? only : null;
  return markup`<div class="verdict ${toneOf(summary)}">
<p><strong class="${`word-${toneOf(summary)}`}">${verdictWord(summary)}</strong> ${headline(summary)}</p>
${resultsPart(results, points.length)}
${single === null ? null : markup`<p>Good: ${attainmentText(single)}.</p>`}
${knee === null || kind === undefined ? null : markup`<p>Knee: ${kneeText(knee, kind)}.</p>`}
</div>
<p>${objective === null ? 'No objective was set: good means a correct answer, whatever its latency.' : markup`Asked of every request and of the whole: <code>${objectiveText(objective)}</code>`}</p>
${single === null ? null : sureness(certaintyLines(single))}
<p class="soft">${provenanceText(summary)}${summary.partial ? ' · the run was cut short' : ''}</p>`;
}

/** One load's results stand open; those of a sweep are many, and its table has them too. */
function resultsPart(results: readonly Markup[], loads: number): Markup {
  if (results.length === 0) return markup`<p>No target over the requests was set: no verdict.</p>`;
  const list = markup`<ul>${results}</ul>`;
  return loads === 1
    ? list
    : markup`<details data-print=""><summary>What each load came to</summary>${list}</details>`;
}

/** What it means for a reader who was not in the room. */
function headline({ verdict, validity, proven }: Summary): string {
  if (!validity.valid) return 'The measurement cannot be trusted; no claim may rest on it.';
  const sure = proven === true ? 'proven at 95 %' : 'likely, not proven';
  switch (verdict) {
    case 'met':
      return `The service met its objective (${sure}).`;
    case 'missed':
      return `The service missed its objective (${sure}).`;
    case 'notEnoughData':
      return 'Too few requests to say whether the service met its objective.';
    case null:
      return 'Figures without a target: nothing was to be met.';
    default:
      return verdict satisfies never;
  }
}

/** `good`, `bad` or `doubt`. */
export function toneOf({ verdict, validity, proven }: Summary): 'good' | 'bad' | 'doubt' {
  if (!validity.valid) return 'bad';
  if (verdict === 'missed') return 'bad';
  return verdict === 'met' && proven === true ? 'good' : 'doubt';
}

function sureness(lines: readonly string[]): Markup | null {
  if (lines.length === 0) return null;
  return markup`<details data-print=""><summary>How sure</summary><ul>${lines.map((line) => markup`<li>${line}</li>`)}</ul></details>`;
}

export function validitySection({ validity }: Summary): Markup {
  const { valid, reasons } = validity;
  return markup`<p>${valid ? 'The measurement can be trusted.' : markup`<strong class="word-bad">The measurement cannot be trusted.</strong>`} This is judged apart from how the service did.</p>
<ul>${reasons.length === 0 ? markup`<li>No reason against it.</li>` : reasons.map(reasonItem)}</ul>`;
}

function reasonItem({ severity, check, message, advice }: ValidityReason): Markup {
  const tone = { invalid: 'bad', warning: 'doubt', note: 'soft' }[severity];
  return markup`<li><strong class="${tone === 'soft' ? 'soft' : `word-${tone}`}">${severity}</strong> (${check}): ${message}${advice === null ? null : markup`<br>→ ${advice}`}</li>`;
}
