/**
 * `engine`: how a serving engine with continuous batching spends its steps, and what a step costs.
 * Read `engine.ts` (the port, with the life of a request), then `batching-engine.ts` (the
 * scheduler), then `cost-model.ts` and `cost/roofline.ts` (a step's cost from a model's shape and a
 * device's sheet). No clock here: `simulator` and `emulator` bring theirs.
 */
export * from './answer-length.ts';
export * from './batching-engine.ts';
export * from './chain-block-ids.ts';
export * from './cost-model.ts';
export * from './engine.ts';
export type { EngineOptions } from './engine-options.ts';
export { repeatedLoad } from './step-plan.ts';
export * from './cost/affine.ts';
export * from './cost/calibration.ts';
export * from './cost/cost-recipe.ts';
export * from './cost/device-sheet.ts';
export * from './cost/kv-capacity.ts';
export * from './cost/kv-size.ts';
export * from './cost/model-shape.ts';
export * from './cost/roofline.ts';
export * from './cost/table.ts';
