import type { CallInFlight } from '../call-in-flight.ts';
import type { ResultFault } from '../results.ts';
import { behaviour } from './behaviour.ts';

type ToUrl = (path: string, inFlight: CallInFlight) => string;

const onServer: ToUrl = (path, { origin }) => `${origin}${path}`;

/** Replies with the URL of the image, whether a URL was requested or not. */
export const URL_ROWS = [
  url('absolute', 'of this server', onServer),
  url('relative', 'relative to the request', (path) => path),
  url('foreign', 'on another host', (path) => `https://results.example${path}`),
  url('foreign-plain', 'on another host without TLS', (path) => `http://results.example${path}`),
  url('other-port', 'on another port of this host', (path) => `http://127.0.0.1:9${path}`),
  url('metadata', 'of the metadata service of clouds', () => 'http://169.254.169.254/latest/'),
  url('file', 'of a file', () => 'file:///etc/hostname'),
  url('data', 'a data URL of a page', () => 'data:text/html,no'),
  url('login', 'with a user name', (path, { origin }) =>
    `${origin}${path}`.replace('//', '//user:word@'),
  ),
  url('words', 'no URL at all', () => 'http://'),
  fault('missing', 'which is not there'),
  fault('redirect', 'which points elsewhere'),
  fault('html', 'which is a page'),
  fault('huge', 'which is larger than any image'),
  fault('cut', 'whose connection breaks'),
  fault('truncated', 'which is half an image'),
] as const;

function url<const Name extends string>(name: Name, what: string, toUrl: ToUrl) {
  return behaviour(`url=${name}`, `a URL ${what}`, (inFlight) => reply(inFlight, toUrl));
}

function fault<const Name extends ResultFault>(name: Name, what: string) {
  return behaviour(`url=${name}`, `a URL of this server ${what}`, (inFlight) =>
    reply(inFlight, onServer, name),
  );
}

async function reply(inFlight: CallInFlight, toUrl: ToUrl, fault?: ResultFault): Promise<void> {
  const items = [];
  for (let left = inFlight.call.n; left > 0; left -= 1) {
    const path = inFlight.store((await inFlight.draw()).bytes, fault);
    items.push({ url: toUrl(path, inFlight) });
  }
  await inFlight.replyJson(inFlight.body(items));
}
