/**
 * `stats`: named quantile rules, binomial intervals, queueing formulas. Pure numbers in, pure
 * numbers out; knows nothing about requests.
 */
export type QuantileRule = 'nearestRank' | 'floorRank' | 'linear';
