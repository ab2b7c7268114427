import { parseAuthority } from '../../lib/config/values/addresses.ts';
import type { ListenAddress } from '../listener/listen.ts';

/** How the value of an option is read. */
export interface ValueForm<T> {
  /** Undefined for a text that is not of this form. */
  readonly parse: (text: string) => T | undefined;
  /** What is said of such a text: a whole sentence. */
  readonly rule: string;
}

export const WHOLE_NUMBER: ValueForm<number> = {
  parse: (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
  rule: 'It must be a whole number from 1.',
};

export const SIGNED_NUMBER: ValueForm<number> = {
  parse: (text) => (/^-?\d{1,14}$/.test(text) ? Number(text) : undefined),
  rule: 'It must be a whole number.',
};

export const LISTEN_ADDRESS: ValueForm<ListenAddress> = {
  parse(text) {
    const { host, port } = parseAuthority(text) ?? {};
    return host === undefined || port === undefined ? undefined : { host, port };
  },
  rule: 'It must be HOST:PORT, such as 127.0.0.1:8787.',
};

/** An http or https address without a path; its value has no slash at the end. */
export const ORIGIN: ValueForm<string> = {
  parse(text) {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol)) return undefined;
    const rest = `${url.pathname}${url.search}${url.hash}${url.username}${url.password}`;
    return rest === '/' ? url.origin : undefined;
  },
  rule: 'It must be an http or https address without a path, such as http://127.0.0.1:8788.',
};

export const COLOR: ValueForm<string> = {
  parse: (text) => (/^#[0-9a-f]{6}$/i.test(text) ? text : undefined),
  rule: 'It must be of the form #RRGGBB.',
};
