import * as v from 'valibot';
import { documented } from '../schema/documented.ts';

/** A message of JSON-RPC 2.0, or several; the protocol checks it. */
export const McpMessage = documented(
  v.union([v.record(v.string(), v.unknown()), v.array(v.record(v.string(), v.unknown()))]),
  'A message of the Model Context Protocol.',
);
