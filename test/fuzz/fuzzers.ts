import { containers } from './containers.ts';
import type { Fuzzer } from './fuzzer.ts';
import { gateway } from './gateway.ts';
import { jsonRpc } from './json-rpc.ts';
import { multipart } from './multipart.ts';
import { rawHttp } from './raw-http.ts';
import { sse } from './sse.ts';
import { upstream } from './upstream.ts';
import { xmp } from './xmp.ts';

/** All fuzzers, in the order in which they run. */
export const FUZZERS: readonly Fuzzer[] = [
  rawHttp,
  multipart,
  containers,
  xmp,
  sse,
  jsonRpc,
  gateway,
  upstream,
];
