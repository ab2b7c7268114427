import * as v from 'valibot';
import { documented } from '../schema/documented.ts';

/** What follows `/dashboard/`. The page itself decides what it shows there. */
export const DashboardViewPath = v.strictObject({ view: v.string() });

/** A name that no file of the page has, whatever its form, is a 404; its form is not checked. */
export const DashboardAssetPath = v.strictObject({ name: v.string() });

/** The headers that decide between 200 and 304, and how the bytes are encoded (RFC 9110, 12.5.3 and 13). */
export const DashboardHeaders = v.object({
  'if-none-match': documented(v.optional(v.string()), 'The etag of a copy that you hold.'),
  'accept-encoding': documented(v.optional(v.string()), 'br and gzip are supported.'),
});

/** The media types of the page's files by the ends of their names. */
export const ASSET_MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  webp: 'image/webp',
};
