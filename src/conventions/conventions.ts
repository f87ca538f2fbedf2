/** Every convention, by name, and the table of what they say. */
import { aiperf } from './aiperf.ts';
import { TOPICS, type Convention, type ConventionName, type Topic } from './convention.ts';
import { genaiBench } from './genai-bench.ts';
import { guidellm } from './guidellm.ts';
import { llmperf } from './llmperf.ts';
import { mlperf } from './mlperf.ts';
import { vllmBench } from './vllm-bench.ts';

export const CONVENTIONS: Readonly<Record<ConventionName, Convention>> = {
  'vllm-bench': vllmBench,
  aiperf,
  guidellm,
  'genai-bench': genaiBench,
  mlperf,
  llmperf,
};

/** goodput's own side of the table: docs/glossary.md has the whole of it. */
const GOODPUT_SAYS: Readonly<Record<Topic, string>> = {
  'clock starts': 'at the planned instant; from the send beside it',
  TTFT: 'first output of a kind that counts (answer, reasoning, refusal by default)',
  TPOT: '(last − first output) / (tokens − those of the first event, else 1), a value per request; unknown for one chunk',
  gaps: 'between counted events, pooled; called token gaps only where one event is known to be one token',
  'end to end': 'to the end mark, else the end of the body',
  'output tokens': "the server's usage; unknown stays unknown",
  throughput: 'counts over one named window: steady, wall or cohort',
  failures: 'in the ledger and in the denominator; an answer cut off is a failure',
  percentiles: 'nearest rank, with an interval or marked `~`',
  goodput:
    'good / offered, and good per second of the window; every limit and correctness on each request',
  'left out': 'a warm-up that is declared or found; refusals by published limits',
};

/**
 * The definitions side by side, one table a topic, as Markdown: the middle of
 * docs/guides/conventions.md.
 */
export function definitionsMarkdown(): string {
  const all = Object.values(CONVENTIONS);
  const topics = TOPICS.map((topic) =>
    [
      `### ${topic.charAt(0).toUpperCase()}${topic.slice(1)}`,
      '',
      '| tool | definition |',
      '| --- | --- |',
      `| goodput | ${GOODPUT_SAYS[topic]} |`,
      ...all.map(({ title, says }) => `| ${title} | ${says[topic]} |`),
      '',
    ].join('\n'),
  );
  const sources = all.map(({ name, title, source }) => {
    const files = source.files.map((file) => `\`${file}\``).join(', ');
    return `| \`${name}\` | ${title} | ${source.repository} | ${source.version} | ${files} |`;
  });
  return [
    ...topics,
    '### Where they were read',
    '',
    '| `--as` | tool | repository | version | files |',
    '| --- | --- | --- | --- | --- |',
    ...sources,
    '',
  ].join('\n');
}
