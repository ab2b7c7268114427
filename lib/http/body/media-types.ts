import { BridgeError } from '../../errors/bridge-error.ts';
import { splitHeader } from '../../platform/header-text.ts';
import { parseHeaderValue } from '../header-value.ts';

// RFC 2046, section 5.1.1 allows fewer characters. Real clients use others, and all characters here are unambiguous.
const BOUNDARY = /^[\x20-\x7e]{0,69}[\x21-\x7e]$/;

export function isJson(contentType: string | undefined): boolean {
  const parsed = parseHeaderValue(contentType ?? '');
  if (parsed?.value !== 'application/json') return false;
  const { charset = 'utf-8', ...others } = Object.fromEntries(parsed.parameters);
  return Object.keys(others).length === 0 && isUtf8(charset);
}

/**
 * Returns the boundary between the parts of a form, or undefined for any other media type. Throws `malformed_request` if the
 * boundary does not have 1 to 70 characters, and `unsupported_media_type` if the charset is not UTF-8.
 */
export function boundaryOf(contentType: string | undefined): string | undefined {
  if (!isForm(contentType ?? '')) return undefined;
  const parameters = parseHeaderValue(contentType ?? '')?.parameters;
  const boundary = parameters?.get('boundary');
  if (boundary === undefined || !BOUNDARY.test(boundary)) {
    throw new BridgeError(
      'malformed_request',
      'content-type has no boundary of 1 to 70 characters',
    );
  }
  if (!isUtf8Name(parameters?.get('charset') ?? 'utf-8')) throw notUtf8();
  return boundary;
}

/**
 * Returns true if the media type is that of a form. Parameters are ignored, so that malformed parameters are reported as
 * those of a form.
 */
function isForm(contentType: string): boolean {
  const [type = ''] = splitHeader(contentType, ';');
  return type.toLowerCase() === 'multipart/form-data';
}

/** Returns true if the charset is UTF-8 or US-ASCII, a subset of UTF-8. */
export function isUtf8Name(charset: string): boolean {
  return isUtf8(charset) || /^us-ascii$/i.test(charset);
}

function isUtf8(charset: string): boolean {
  return /^utf-?8$/i.test(charset);
}

export function notUtf8(): BridgeError {
  return new BridgeError('unsupported_media_type', 'text must be in UTF-8');
}
