import type { ApiRequest } from '../../lib/mcp/bridge-api.ts';
import { toQuery } from '../client/query.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The method and the target of a request for `GET /v1/jobs/{id}`. */
export function toRequestLine(operation: string, { path = {}, query = {} }: ApiRequest) {
  const [method, template = ''] = operation.split(' ');
  const rawPath = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  );
  const search = toQuery(query);
  // Operations are written out where they are called.
  return { method: method as Method, rawPath, search, target: `${rawPath}${search}` };
}
