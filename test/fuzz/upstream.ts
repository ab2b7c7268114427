import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import sharp from 'sharp';
import { chunksOf, type Fuzzer, type Input } from './fuzzer.ts';
import { startWatchedBridge } from './watched-bridge.ts';

/** Sends damaged HTTP replies of a provider to the started program: JSON with an image, streams of events, and errors. */
export const upstream: Fuzzer = {
  name: 'upstream',
  tokens: [
    '\r\n',
    '\r\n\r\n',
    '\n\n',
    'data: ',
    '{',
    '"b64_json":',
    '"error":{}',
    'Content-Length: 5\r\n',
    'Content-Encoding: gzip\r\n',
    'Retry-After: 1e9\r\n',
    'Transfer-Encoding: chunked\r\n',
    'HTTP/1.1 103 Early Hints\r\n\r\n',
    'iVBORw0KGgo=',
  ],
  async open() {
    const server = await startServer();
    const own = 'providers.openai_images.own';
    const watched = await startWatchedBridge({
      set: [
        `${own}.dialect=generic`,
        `${own}.base_url=http://127.0.0.1:${server.port}/v1`,
        `${own}.models=["some-model"]`,
        `${own}.image_model=some-model`,
        `${own}.max_transient_attempts=1`,
        'runtime.circuit_breaker.enabled=false',
      ],
    });
    const { bridge, checker } = watched;
    const request = JSON.stringify({
      prompt: 'a fox',
      routing: { provider: 'own' },
      parameters: { size: '64x64' },
    });

    return {
      async check(input) {
        server.reply(input);
        const response = await fetch(`${bridge.address}/v1/images`, {
          method: 'POST',
          // A connection that the bridge closes because it was idle would look like a failure.
          headers: { 'content-type': 'application/json', connection: 'close' },
          body: request,
        });
        const text = await response.text();
        await watched.expectSound();
        const { status } = response;
        const path = '/v1/images';
        checker.check({ method: 'POST', path }, status, Object.fromEntries(response.headers), text);
        if (text.includes('"code":"internal"')) throw new Error(`an internal failure: ${text}`);
        if (status === 200) await expectImages(text);
      },
      async close() {
        await bridge.end('SIGKILL');
        server.close();
      },
    };
  },
};

/** Throws if an image of the reply cannot be decoded to its last pixel. */
async function expectImages(text: string): Promise<void> {
  const { data } = JSON.parse(text) as { data: readonly { b64_json: string }[] };
  for (const { b64_json } of data) {
    await sharp(Buffer.from(b64_json, 'base64'), { failOn: 'warning' }).stats();
  }
}

/** Starts a server that sends the same bytes to each client that has sent something, and closes the connection. */
async function startServer() {
  let reply: Input = { bytes: Buffer.alloc(0), sizes: [1] };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.resume();
      for (const chunk of chunksOf(reply)) socket.write(chunk);
      socket.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // A server that listens on a TCP port has an address of this form.
    port: (server.address() as AddressInfo).port,
    reply(next: Input): void {
      reply = next;
    },
    close: () => void server.close(),
  };
}
