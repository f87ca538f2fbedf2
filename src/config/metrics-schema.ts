/** `metrics`: where the engines under test publish their own measurements. */
import { z } from 'zod';
import { expects, oneOrMany } from './scalars.ts';
import { addressFault } from './target-schema.ts';

/** `auto`, or a URL; without a path it is that of Prometheus's default, `/metrics`. */
const endpoint = z
  .string(expects('auto or a URL', 'write http://127.0.0.1:8000/metrics'))
  .superRefine((value, context) => {
    const message = value === 'auto' ? null : addressFault(value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .transform((value) => {
    if (value === 'auto' || !URL.canParse(value)) return value;
    const url = new URL(value);
    if (url.pathname === '/') url.pathname = '/metrics';
    url.hash = '';
    return url.href;
  });

/** One endpoint or several. */
export const metricsEndpoints = oneOrMany(
  endpoint,
  'auto, a URL or a list of URLs',
  'http://127.0.0.1:8000/metrics',
);
