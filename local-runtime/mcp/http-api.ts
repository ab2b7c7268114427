import { ApiFailure, type ApiRequest, type BridgeApi } from '../../lib/mcp/bridge-api.ts';
import type { Service } from '../client/service.ts';
import { ServiceError } from '../client/service-error.ts';
import { toRequestLine } from './request-line.ts';

/** Creates the API of a service that is called over HTTP. `find` is called for each request. */
export function createHttpApi(find: () => Promise<Service>): BridgeApi {
  return {
    json: <T>(operation: string, request: ApiRequest) =>
      converting(async () => {
        const { method, target } = toRequestLine(operation, request);
        const { body, signal } = request;
        return (await find()).json<T>(target, { method, body, signal });
      }),

    bytes: (operation, request) =>
      converting(async () => {
        const { method, target } = toRequestLine(operation, request);
        return (await find()).content(target, { method, signal: request.signal });
      }),

    async *events<T>(operation: string, request: ApiRequest): AsyncIterable<T> {
      const { target } = toRequestLine(operation, request);
      try {
        yield* (await find()).events<T>(target, request.signal);
      } catch (error) {
        throw toFailure(error);
      }
    },
  };
}

async function converting<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toFailure(error);
  }
}

function toFailure(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  return new ApiFailure(error.code ?? 'unreachable', error.message, error.advice, error.issues);
}
