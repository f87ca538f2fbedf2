import { createHash } from 'node:crypto';

/**
 * Ids of the full blocks of a list of tokens, as a `SequenceContent` wants them: each a digest of its
 * tokens and of the id before it, so that equal ids mean equal beginnings.
 */
export function chainBlockIds(tokens: readonly string[], blockTokens: number): readonly string[] {
  const ids: string[] = [];
  let id = '';
  for (let end = blockTokens; end <= tokens.length; end += blockTokens) {
    const hash = createHash('sha256').update(id);
    // Lengths keep ['a b'] and ['a', 'b'] apart.
    for (const token of tokens.slice(end - blockTokens, end))
      hash.update(`${token.length} ${token}`);
    id = hash.digest('base64');
    ids.push(id);
  }
  return ids;
}
