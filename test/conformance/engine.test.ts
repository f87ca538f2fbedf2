import { createEngine, seedCostModel } from '../../src/engine/index.ts';
import { engineConformance } from './engine-conformance.ts';

engineConformance('the batching engine', (setup) =>
  createEngine({ ...setup, costModel: seedCostModel, speedScale: 1 }),
);
