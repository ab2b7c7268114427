import * as v from 'valibot';
import { documented } from '../schema/fields.ts';

/** The path below `/dashboard/`, which the page itself evaluates. */
export const DashboardViewPath = v.strictObject({ view: v.string() });

/**
 * The path parameters of a file that the dashboard page loads. The format of the name is not checked; any unknown name returns
 * 404.
 */
export const DashboardAssetPath = v.strictObject({ name: v.string() });

/** The headers that decide between 200 and 304 and select the content coding (RFC 9110, sections 12.5.3 and 13). */
export const DashboardHeaders = v.object({
  'if-none-match': documented(v.optional(v.string()), 'The etag of a cached copy.'),
  'accept-encoding': documented(v.optional(v.string()), 'br and gzip are supported.'),
});

/** The media types of the page's files by filename extension. */
export const ASSET_MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  webp: 'image/webp',
};
