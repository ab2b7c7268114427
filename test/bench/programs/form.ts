import { Readable } from 'node:stream';
import { createOperation, type OperationDeclaration } from '../../../lib/http/operation.ts';
import type { RequestSpec } from '../../../lib/http/operation-spec.ts';
import { ok } from '../../../lib/http/reply/reply.ts';
import type { Services } from '../../../lib/services.ts';
import { createListener } from '../../../local-runtime/server/listener/listener.ts';
import { applyHeapSettings } from '../../../local-runtime/server/memory-settings.ts';
import { bookForm } from '../../support/echo-form.ts';
import { openHttpSettings } from '../../support/invoke.ts';
import { programOptions, reportPort } from './measured-server.ts';

/** The listener with one operation that returns the number of received bytes. */
export interface FormOptions {
  /** True if the body is parsed as a form. Otherwise it is read into one buffer. */
  readonly kind: 'form' | 'raw';
}

const { kind } = programOptions<FormOptions>();
applyHeapSettings();
const listener = createListener({
  routes: [
    { method: 'POST', path: '/v1/form', tag: 'Images', handler: kind === 'form' ? form() : raw() },
  ],
  httpSettings: openHttpSettings(),
  // The operations need none of these services.
  services: Promise.resolve({} as Services),
  settings: {
    max_header_bytes: 32_768,
    max_connections: 'unlimited',
    head_timeout_ms: 10_000,
    read_timeout_ms: 0,
    write_timeout_ms: 30_000,
  },
});
reportPort(await listener.listen({ host: '127.0.0.1', port: 0 }));

function form() {
  return operation({
    request: { form: bookForm },
    handle: ({ form }) =>
      ok({ length: form.files.page.reduce((sum, { length }) => sum + length, 0) }),
  });
}

function raw() {
  return operation({
    request: {},
    async handle({ event: { body, headers } }) {
      const whole = Buffer.allocUnsafe(Number(headers['content-length']));
      let length = 0;
      if (body instanceof Readable) {
        for await (const chunk of body) length += (chunk as Buffer).copy(whole, length);
      }
      return ok({ length });
    },
  });
}

function operation<const R extends RequestSpec>(
  own: Pick<OperationDeclaration<Services, R, { length: number }>, 'request' | 'handle'>,
) {
  return createOperation<Services, R, { length: number }>({
    id: 'measureBody',
    summary: 'Measure a body',
    protection: 'read',
    reply: { status: 200, description: 'It is measured.' },
    errors: [],
    ...own,
  });
}
