import { once } from 'node:events';
import { createServer } from 'node:http';

/** Starts a service with the images API of OpenAI, which returns the current image to every request. */
export async function startImageService(image: () => Buffer) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const body = { created: 1, data: [{ b64_json: image().toString('base64') }] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const own = 'providers.openai_images.own';
  return {
    env: { OWN_KEY: 'key' },
    /** The settings of a bridge whose default provider is the service. The model `png-only` supports no other format. */
    set: [
      'default_provider=own',
      `${own}.dialect=openai`,
      `${own}.base_url=http://127.0.0.1:${address.port}/v1`,
      `${own}.api_key_env=OWN_KEY`,
      `${own}.models=["gpt-image-2","png-only"]`,
      `${own}.image_model=gpt-image-2`,
      `${own}.model_profiles={"png-only"={output_formats=["png"]}}`,
    ],
    close: () => server.close(),
  };
}
