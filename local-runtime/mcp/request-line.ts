import type { ApiRequest } from '../../lib/mcp/bridge-api.ts';
import { toQuery } from '../client/service.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Returns the method and the target of a request for an operation such as `GET /v1/jobs/{id}`. */
export function toRequestLine(operation: string, { path = {}, query = {} }: ApiRequest) {
  const [method, template = ''] = operation.split(' ');
  const rawPath = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  );
  const search = toQuery(query);
  // Callers write operations as literals that begin with a method.
  return { method: method as Method, rawPath, search, target: `${rawPath}${search}` };
}
