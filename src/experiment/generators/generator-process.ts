/** What a generator process runs: `generator-pool.ts` names this module. */
import { serveParent } from '../../workers/index.ts';
import { Generator } from './generator.ts';
import type { FromGenerator, ToGenerator } from './messages.ts';

const tell = serveParent((message: ToGenerator) => generator.hear(message));
const generator = new Generator((message: FromGenerator) => tell(message));
