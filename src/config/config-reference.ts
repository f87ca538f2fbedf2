/** The keys of a run file for machines (JSON Schema) and for people (a table), from the schema. */
import { z } from 'zod';
import { RUN_FLAGS } from './run-flags.ts';
import { runFile } from './run-file-schema.ts';
import { defaultText, typeText, type SchemaNode } from './schema-node.ts';

/** JSON Schema (draft 2020-12) of a run file, for editors. The parser itself checks more. */
export function runSpecJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(runFile, { io: 'input' }),
    title: 'goodput run file',
  };
}

/** Markdown table of every key: type, default, flag and meaning. For docs/config.md. */
export function configReference(): string {
  const rows = rowsOf(runSpecJsonSchema(), '');
  return [
    '| key | value | default | flag | meaning |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function rowsOf(node: SchemaNode, prefix: string): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, property]) => {
    const path = `${prefix}${key}`;
    const mapping = mappingOf(property);
    const inner = mapping === null ? [] : rowsOf(mapping, `${path}.`);
    const isRequired = node.required?.includes(key) === true;
    return [rowOf(path, property, isRequired), ...inner];
  });
}

function rowOf(path: string, node: SchemaNode, isRequired: boolean): string {
  const flag = RUN_FLAGS.find((candidate) => candidate.path.join('.') === path);
  const cells = [
    `\`${path}\``,
    typeText(node),
    isRequired ? 'required' : defaultText(node),
    flag === undefined ? '' : `\`${flag.flag}\``,
    node.description ?? '',
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** The mapping form of a key, where it has one. */
function mappingOf(node: SchemaNode): SchemaNode | null {
  if (node.properties !== undefined) return node;
  return node.anyOf?.map(mappingOf).find((found) => found !== null) ?? null;
}
