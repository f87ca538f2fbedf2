export * from './base/index.ts';
