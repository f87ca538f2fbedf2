/** `gate`: findings about a change → whether it may go out, and why not. Start with `gate.ts`. */
export * from './gate.ts';
