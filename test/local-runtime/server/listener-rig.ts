import { routes } from '../../../handlers/routes.ts';
import type { Services } from '../../../lib/services.ts';
import { createListener } from '../../../local-runtime/server/listener/listener.ts';
// Loaded here, because in a test that shortens the time-outs, the first request cannot wait for Hono.
import '../../../local-runtime/server/listener/mount-routes.ts';
import { allowedMethods } from '../../../local-runtime/server/listener/route-paths.ts';
import { openHttpSettings } from '../../support/invoke.ts';

const running: ReturnType<typeof createListener>[] = [];

/** Starts a listener on a free port, with the services that the routes of a test use. */
export async function startListener(
  changes: { services?: object; settings?: object; httpSettings?: object } = {},
) {
  const services = {
    readiness: { isReady: async () => true },
    apiDocument: () => Buffer.from('{}'),
    allowedMethods: allowedMethods(routes),
    providers: { list: () => ({ items: [] }), capabilities: () => ({}) },
    ...changes.services,
    // Each test passes the services that its routes use.
  } as unknown as Services;
  const listener = createListener({
    routes,
    httpSettings: openHttpSettings({ maxBodyBytes: 100_000, ...changes.httpSettings }),
    services: Promise.resolve(services),
    settings: {
      max_header_bytes: 32_768,
      max_connections: 'unlimited',
      head_timeout_ms: 10_000,
      read_timeout_ms: 0,
      write_timeout_ms: 30_000,
      ...changes.settings,
    },
  });
  running.push(listener);
  return { listener, port: await listener.listen({ host: '127.0.0.1', port: 0 }) };
}

/** Stops all listeners. Call it in `afterEach`. */
export async function stopListeners(): Promise<void> {
  await Promise.all(running.splice(0).map((listener) => listener.stop(0)));
}
