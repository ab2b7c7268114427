import type { StreamedBody } from '../../net/http-client.ts';
import { createJsonBodies } from '../http/json-body.ts';
import { toMultipartBody } from '../http/multipart-body.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import type { ProviderContext, ProviderInput } from '../provider-port.ts';
import type { TaskCall, TaskService } from './task-service.ts';
import type { TaskUploads } from './task-uploads.ts';

interface Deps extends Pick<NamedProviderParts<'task'>, 'ids' | 'slices'> {
  readonly service: Pick<TaskService, 'submission'>;
  readonly baseUrl: string;
  readonly uploads: TaskUploads | undefined;
}

/** A submission that is ready to be sent. */
export interface TaskPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: StreamedBody;
}

export type TaskBodies = ReturnType<typeof createTaskBodies>;

/** Creates a writer of submissions. Images are encoded while they are sent. */
export function createTaskBodies({ service, baseUrl, uploads, ids, slices }: Deps) {
  const toJsonBody = createJsonBodies({ ids, slices });

  return {
    /** Resolves with the submission of a call. Uploads its large images first if the service has uploads. */
    async toPost(call: TaskCall, context: ProviderContext): Promise<TaskPost> {
      const urls =
        (await uploads?.urlsOf(call.request, context)) ?? new Map<ProviderInput, string>();
      const { path, headers, body } = service.submission(call, context.remainingMs());
      const { contentType, body: sent } =
        'form' in body
          ? toMultipartBody(body.form, `form-${ids.newOpaqueId()}`)
          : {
              contentType: 'application/json',
              body: toJsonBody((base64Of) =>
                body.json({
                  base64: ({ bytes }) => base64Of(bytes),
                  url: (input) =>
                    urls.get(input) ?? `data:${input.mediaType};base64,${base64Of(input.bytes)}`,
                }),
              ),
            };
      return {
        url: `${baseUrl}${path}`,
        headers: { ...headers, 'content-type': contentType },
        body: sent,
      };
    },
  };
}
