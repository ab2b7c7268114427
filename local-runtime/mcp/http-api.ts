import { ApiFailure, type ApiRequest, type BridgeApi } from '../../lib/mcp/bridge-api.ts';
import { type Service, toTarget } from '../client/service.ts';
import { ServiceError } from '../client/service-error.ts';

/** Creates the API of a service that is called over HTTP. The function `find` is called for each request. */
export function createHttpApi(find: () => Promise<Service>): BridgeApi {
  return {
    json: <T>(operation: string, request: ApiRequest) =>
      converting(async () => {
        const { path, query, body, signal } = request;
        const { method, target } = toTarget(operation, path, query);
        return (await find()).json<T>(target, { method, body, signal });
      }),

    bytes: (operation, request) =>
      converting(async () => {
        const { path, query, signal } = request;
        const { method, target } = toTarget(operation, path, query);
        return (await find()).content(target, { method, signal });
      }),

    async *events<T>(operation: string, request: ApiRequest): AsyncIterable<T> {
      const { target } = toTarget(operation, request.path, request.query);
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
