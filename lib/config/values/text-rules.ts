import { isLoopbackHost, parseAuthority } from './addresses.ts';

/** What a text must be like; `expects` completes the sentence "must be …". */
export interface TextRule {
  readonly expects: string;
  readonly accepts: (text: string) => boolean;
}

export const PLAIN: TextRule = {
  expects: 'text without a NUL character',
  accepts: (text) => !text.includes('\0'),
};

export const NAME: TextRule = {
  expects: 'text that is not blank and has no control characters',
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a name must not hold.
  accepts: (text) => text.trim() !== '' && !/[\x00-\x1f\x7f]/.test(text),
};

export const PROVIDER_NAME: TextRule = {
  expects: "a provider's name: at most 32 lowercase letters, digits and hyphens, a letter first",
  accepts: (text) => /^[a-z][a-z0-9-]{0,31}$/.test(text),
};

/** What goes into a header or into a query. */
export const VISIBLE: TextRule = {
  expects: 'at most 256 visible ASCII characters, without spaces',
  accepts: (text) => /^[\x21-\x7e]{1,256}$/.test(text),
};

export const PATH: TextRule = {
  expects: 'a path that is not empty and has no NUL character',
  accepts: (text) => text !== '' && !text.includes('\0'),
};

export const VARIABLE: TextRule = {
  expects: 'the name of an environment variable: letters, digits and "_", no digit first',
  accepts: (text) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text),
};

/** Where the bridge sends credentials: nothing between it and the other end may read along. */
export const ENDPOINT: TextRule = {
  expects:
    'an https URL, or an http URL of a loopback address, without user name, password and fragment',
  accepts(text) {
    const url = parseUrl(text);
    if (!url) return false;
    const plain = url.protocol === 'http:' && isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''));
    return url.protocol === 'https:' || plain;
  },
};

export const HTTP_URL: TextRule = {
  expects: 'an http or https URL without user name, password, query and fragment',
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
  expects: 'a host name or address, with or without a port, such as bridge.example:8787',
  accepts(text) {
    const authority = parseAuthority(text);
    return authority !== undefined && authority.port !== 0;
  },
};

/** Exact names only: with a wildcard, the owner of any subdomain could choose what the bridge fetches. */
export const REMOTE_HOST: TextRule = {
  expects: 'one exact host name or address, without a port and wildcards (xn-- for other scripts)',
  accepts(text) {
    const authority = parseAuthority(text);
    if (!authority || authority.port !== undefined) return false;
    return parseUrl(`https://${text}/`)?.hostname === text.toLowerCase();
  },
};

/** As URLs have it: with the port, unless that is the one of the scheme. */
export const WEBHOOK_HOST: TextRule = {
  expects:
    'one exact host name or address, with its port unless that is 443, without wildcards (xn-- for other scripts)',
  accepts(text) {
    if (parseAuthority(text) === undefined) return false;
    return parseUrl(`https://${text}/`)?.host === text.toLowerCase();
  },
};

/** An http or https URL without user name, password and fragment. */
function parseUrl(text: string): URL | undefined {
  // The parser mends blanks, line ends and missing slashes without a word; here they are mistakes.
  if (!/^https?:\/\/[^\s\0#\\]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username === '' && url.password === '' ? url : undefined;
}
