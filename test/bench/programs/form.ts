import { createOperation } from '../../../lib/http/operation.ts';
import { ok } from '../../../lib/http/reply.ts';
import type { Services } from '../../../lib/services.ts';
import { letHeapGrow } from '../../../local-runtime/heap-growth.ts';
import { createListener } from '../../../local-runtime/listener.ts';
import { bookForm } from '../../support/echo-form.ts';
import { openEdge } from '../../support/invoke.ts';
import { tellPort } from './measured-server.ts';

/** The listener, with one operation that takes a form and says how many bytes its files have. */
const handler = createOperation({
  id: 'measureForm',
  summary: 'Measure a form',
  protection: 'bearer',
  request: { form: bookForm },
  reply: { status: 200, description: 'It is measured.' },
  errors: [],
  handle: ({ form }) =>
    ok({ length: form.files.page.reduce((sum, { length }) => sum + length, 0) }),
});
letHeapGrow();
const listener = createListener({
  routes: [{ method: 'POST', path: '/v1/form', tag: 'Images', handler }],
  edge: openEdge(),
  // The operation asks for none of them.
  services: Promise.resolve({} as Services),
  settings: {
    max_header_bytes: 32_768,
    max_connections: 'unlimited',
    read_timeout_ms: 0,
    write_timeout_ms: 30_000,
  },
});
tellPort(await listener.listen({ host: '127.0.0.1', port: 0 }));
