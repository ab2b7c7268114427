import { afterEach, describe, expect, it } from 'vitest';
import { ApiFailure } from '../../../lib/mcp/bridge-api.ts';
import { createService } from '../../../local-runtime/client/service.ts';
import { createHttpApi } from '../../../local-runtime/mcp/http-api.ts';
import { openStub } from '../cli/stub-service.ts';

let close = () => {};
afterEach(() => close());

describe('createHttpApi', () => {
  it('throws ApiFailure if the connection breaks within an image', async () => {
    const stub = await openStub((_, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': 100 });
      response.write('half', () => response.destroy());
    });
    close = stub.close;
    const api = createHttpApi(async () => createService({ url: stub.url, token: undefined }));
    const { signal } = new AbortController();

    const error = await api
      .bytes('GET /v1/artifacts/{id}', { path: { id: 'x' }, signal })
      .catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(ApiFailure);
    expect(error).toMatchObject({ code: 'unreachable' });
  });
});
