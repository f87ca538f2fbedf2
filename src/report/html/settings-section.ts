/** What was measured, fact by fact, and how to do it again. */
import { markup, type Markup, printable } from '../../base/index.ts';
import type { Manifest } from '../../record/index.ts';
import type { Summary } from '../../summary/index.ts';
import { factsOf, repeatText, specText } from '../manifest-facts.ts';

export function settingsSection(summary: Summary, manifest: Manifest): Markup {
  const seeds = Object.entries(manifest.seeds).map(([name, seed]) => `${name} ${seed}`);
  const rows = factsOf(manifest).map(
    ({ name, value, from }) =>
      markup`<tr><th scope="row">${name}</th><td>${value ?? markup`<strong class="word-doubt">unknown</strong>`}</td><td>${from}</td></tr>`,
  );
  return markup`<div class="scroll" tabindex="0" role="group" aria-label="Facts"><table class="words"><thead><tr><th scope="col">fact</th><th scope="col">value</th><th scope="col">known how</th></tr></thead><tbody>${rows}</tbody></table></div>
<h3>How to reproduce</h3>
<ul><li>run ${manifest.runId}, experiment ${summary.experimentHash}</li><li>seeds: ${seeds.join(', ')}</li></ul>
<p>${codeIn(repeatText(manifest))}</p>
<pre tabindex="0" role="group" aria-label="Run file"><code>${linesOf(specText(manifest))}</code></pre>`;
}

/** Text whose `backticks` are code. */
function codeIn(text: string): Markup[] {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? markup`<code>${part}</code>` : markup`${part}`));
}

/** Escaping puts text on one line; a run file has many. */
function linesOf(text: string): Markup[] {
  return text.split('\n').map(
    (line) => markup`${printable(line, 1_000)}
`,
  );
}
