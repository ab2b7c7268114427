import { isLoopbackHost, parseAuthority } from './addresses.ts';

/** A rule for a text. The member `expects` completes the sentence "must be …". */
export interface TextRule {
  readonly expects: string;
  readonly accepts: (text: string) => boolean;
}

export const PLAIN: TextRule = {
  expects: 'text without a NUL character',
  accepts: (text) => !text.includes('\0'),
};

export const NAME: TextRule = {
  expects: 'non-blank text without control characters',
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a name must not contain control characters.
  accepts: (text) => text.trim() !== '' && !/[\x00-\x1f\x7f]/.test(text),
};

/** The name of a project or a location of Google Cloud. The name becomes part of a host name or a path. */
export const RESOURCE: TextRule = {
  expects: 'at most 63 lowercase letters, digits and "-", starting with a letter',
  accepts: (text) => /^[a-z][a-z0-9-]{0,62}$/.test(text),
};

export const PROVIDER_NAME: TextRule = {
  expects:
    'a provider name: at most 32 lowercase letters, digits and hyphens, starting with a letter',
  accepts: (text) => /^[a-z][a-z0-9-]{0,31}$/.test(text),
};

/** Text that is sent in a header or a query. */
export const VISIBLE: TextRule = {
  expects: 'at most 256 visible ASCII characters, without spaces',
  accepts: (text) => /^[\x21-\x7e]{1,256}$/.test(text),
};

export const PATH: TextRule = {
  expects: 'a non-empty path without a NUL character',
  accepts: (text) => text !== '' && !text.includes('\0'),
};

export const VARIABLE: TextRule = {
  expects:
    'the name of an environment variable: letters, digits and "_", not starting with a digit',
  accepts: (text) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text),
};

/** The name of a PostgreSQL schema that needs no quotes. */
export const SCHEMA_NAME: TextRule = {
  expects: 'at most 63 lowercase letters, digits and "_", not starting with a digit',
  accepts: (text) => /^[a-z_][a-z0-9_]{0,62}$/.test(text),
};

/** The name of an S3 bucket. Some servers allow other names than Amazon S3. */
export const BUCKET: TextRule = {
  expects:
    'the name of a bucket: 3 to 63 letters, digits, ".", "_" and "-", starting with a letter or digit',
  accepts: (text) => /^[A-Za-z0-9][A-Za-z0-9._-]{2,62}$/.test(text),
};

/** The beginning of the names of objects. The bridge appends a slash. */
export const KEY_PREFIX: TextRule = {
  expects:
    'at most 256 letters, digits, ".", "_", "-" and "/", without a slash at either end and without parts such as ".."',
  accepts: (text) =>
    text.length <= 256 &&
    /^[\w./-]*$/.test(text) &&
    (text === '' || text.split('/').every((part) => !/^\.*$/.test(part))),
};

/** A URL to which the bridge sends credentials. The credentials must be protected on the network. */
export const ENDPOINT: TextRule = {
  expects:
    'an https URL, or an http URL with a loopback address, without a user name, password or fragment',
  accepts(text) {
    const url = parseUrl(text);
    if (!url) return false;
    const plain = url.protocol === 'http:' && isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''));
    return url.protocol === 'https:' || plain;
  },
};

export const HTTP_URL: TextRule = {
  expects: 'an http or https URL without a user name, password, query or fragment',
  accepts(text) {
    const url = parseUrl(text);
    return url !== undefined && !text.includes('?');
  },
};

export const BIND: TextRule = {
  expects: 'an address and a port from 0 to 65535, such as 127.0.0.1:8787 or [::1]:8787',
  accepts: (text) => parseAuthority(text)?.port !== undefined,
};

export const AUTHORITY: TextRule = {
  expects: 'a host name or address, optionally with a port, such as bridge.example:8787',
  accepts(text) {
    const authority = parseAuthority(text);
    return authority !== undefined && authority.port !== 0;
  },
};

/** An exact host name. Wildcards are rejected because the owner of any subdomain could choose what the bridge fetches. */
export const REMOTE_HOST: TextRule = {
  expects:
    'one exact host name or address without a port or wildcards (xn-- form for other scripts)',
  accepts(text) {
    const authority = parseAuthority(text);
    if (!authority || authority.port !== undefined) return false;
    return parseUrl(`https://${text}/`)?.hostname === text.toLowerCase();
  },
};

/** A host as written in a URL: with its port, unless the port is the default of the scheme. */
export const WEBHOOK_HOST: TextRule = {
  expects:
    'one exact host name or address without wildcards (xn-- form for other scripts), with its port unless the port is 443',
  accepts(text) {
    if (parseAuthority(text) === undefined) return false;
    return parseUrl(`https://${text}/`)?.host === text.toLowerCase();
  },
};

/** Parses an http or https URL. Returns undefined if the URL has a user name, a password or a fragment. */
function parseUrl(text: string): URL | undefined {
  // Rejects spaces, line breaks and missing slashes, which the URL parser would silently correct.
  if (!/^https?:\/\/[^\s\0#\\]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username === '' && url.password === '' ? url : undefined;
}
