/** A cost model as data: what it is made of, so that it can be made again elsewhere. */
import { assertNever } from '../../base/index.ts';
import { type CostModel, seedCostModel } from '../cost-model.ts';
import { affineCostModel, type AffineOptions } from './affine.ts';
import { rooflineCostModel, type RooflineOptions } from './roofline.ts';
import { tableCostModel, type TableOptions } from './table.ts';

/** Plain data: it can be written as JSON and sent to another thread. */
export type CostRecipe =
  | { readonly kind: 'seed' }
  | { readonly kind: 'roofline'; readonly options: RooflineOptions }
  | { readonly kind: 'affine'; readonly options: AffineOptions }
  | { readonly kind: 'table'; readonly options: TableOptions };

/** The recipe's model; the same recipe gives the same durations. */
export function costModelOf(recipe: CostRecipe): CostModel {
  switch (recipe.kind) {
    case 'seed':
      return seedCostModel;
    case 'roofline':
      return rooflineCostModel(recipe.options);
    case 'affine':
      return affineCostModel(recipe.options);
    case 'table':
      return tableCostModel(recipe.options);
    default:
      return assertNever(recipe);
  }
}
