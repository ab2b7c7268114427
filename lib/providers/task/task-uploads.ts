import { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpRequest } from '../../net/http-client.ts';
import { sentImages } from '../backend/sent-images.ts';
import { callWithKey } from '../credentials/api-key.ts';
import { readErrorBody } from '../http/model-call.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import type { ProviderContext, ProviderInput, ProviderRequest } from '../provider-port.ts';
import type { TaskHosts } from './task-hosts.ts';
import type { TaskService, TaskUpload } from './task-service.ts';

interface Deps extends Pick<NamedProviderParts<'task'>, 'httpClient' | 'apiKey' | 'clock'> {
  readonly upload: TaskUpload;
  readonly service: Pick<TaskService, 'keyHeaders' | 'baseUrl'>;
  readonly hosts: TaskHosts;
  readonly baseUrl: string;
}

export type TaskUploads = ReturnType<typeof createTaskUploads>;

/** Uploads images that are too large for a submission. An upload has no effect on the charge. */
export function createTaskUploads({ upload, service, hosts, baseUrl, ...deps }: Deps) {
  const { httpClient, apiKey, clock } = deps;

  /** Sends one request of an upload. Throws if the reply is not a success. */
  async function send(url: string, request: HttpRequest, key?: string) {
    const { status, header, body } = await httpClient.request(url, request);
    const value = await readErrorBody(body, clock);
    if (key !== undefined && (status === 401 || status === 403)) {
      throw new BridgeError('provider_authentication', 'the backend rejected the credentials');
    }
    if (status < 200 || status > 299) throw failed(status >= 500 || status === 429);
    return { status, header, value };
  }

  /** Returns the URL of an initiation. A server at another base URL also stands for the host of the uploads. */
  function initiationUrl(url: string): string {
    const { pathname, search } = new URL(url);
    const own = `${new URL(baseUrl).origin}${pathname}${search}`;
    return hosts.apiUrl(baseUrl === service.baseUrl ? url : own, baseUrl);
  }

  async function uploaded(input: ProviderInput, context: ProviderContext): Promise<string> {
    const { signal, onEvent } = context;
    const onSending = () => onEvent({ type: 'progress', stage: 'dispatched' });
    const { url, json } = upload.initiation(input);
    const target = await callWithKey(apiKey, async (key) => {
      const headers = {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(key === undefined ? {} : service.keyHeaders(key)),
      };
      const body = JSON.stringify(json);
      const to = initiationUrl(url);
      const start = { method: 'POST', headers, body, signal, onSending } as const;
      return upload.target(await send(to, start, key));
    });
    if (!target || !URL.canParse(target.uploadUrl)) throw failed(false);
    if (!hosts.isAllowed(new URL(target.uploadUrl), upload.hosts)) throw failed(false);
    const headers = { 'content-type': input.mediaType };
    await send(target.uploadUrl, { method: 'PUT', headers, body: input.bytes, signal });
    return target.fileUrl;
  }

  return {
    /** Uploads the large images of a call, one after the other. Resolves with the URL of each uploaded image. */
    async urlsOf(
      request: ProviderRequest,
      context: ProviderContext,
    ): Promise<ReadonlyMap<ProviderInput, string>> {
      const { mask } = request;
      const large = [...sentImages(request), ...(mask ? [mask] : [])].filter(
        ({ bytes }) => bytes.length > upload.aboveBytes,
      );
      const urls = new Map<ProviderInput, string>();
      for (const input of large) {
        try {
          urls.set(input, await uploaded(input, context));
        } catch (thrown) {
          context.signal.throwIfAborted();
          if (thrown instanceof BridgeError && thrown.code === 'protocol') throw failed(true);
          throw thrown;
        }
      }
      return urls;
    },
  };
}

/** Returns the error of an upload. The task was not submitted, so nothing was made. */
function failed(isTransient: boolean): BridgeError {
  return new BridgeError('upstream', 'an input image cannot be uploaded to the backend', {
    effect: 'nothing_made',
    transient: isTransient,
    retryable: isTransient,
    details: { reason: 'upload_failed' },
  });
}
