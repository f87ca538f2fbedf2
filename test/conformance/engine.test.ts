import { createEngine, seedCostModel } from '../../src/engine/index.ts';
import { engineConformance } from './engine-conformance.ts';

engineConformance('the batching engine', (limits) =>
  createEngine({ limits, costModel: seedCostModel, speedScale: 1 }),
);
