import type { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SignatureV4 } from '@smithy/signature-v4';

type HttpRequest = Parameters<SignatureV4['presign']>[0];

/**
 * Returns the URL of a command with a signature in its query, which is valid for `secs`. The client builds the request of the
 * command as if the request were sent, so that the address follows the same settings.
 */
export async function presignedUrl(
  client: S3Client,
  command: GetObjectCommand,
  secs: number,
): Promise<string> {
  const request = await buildRequest(client, command);
  const { credentials, region, sha256 } = client.config;
  const signer = new SignatureV4({
    credentials,
    region,
    sha256,
    service: 's3',
    uriEscapePath: false,
  });
  const { query = {} } = await signer.presign(
    // The header stands for a body that is not signed. A presigned request has no other headers than its host.
    { ...request, headers: { host: hostOf(request), 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } },
    { expiresIn: secs, unsignableHeaders: new Set(['x-amz-content-sha256']) },
  );
  const parameters = Object.entries(query).map(
    ([name, value]) => `${escapeText(name)}=${escapeText(String(value))}`,
  );
  return `${request.protocol}//${hostOf(request)}${request.path}?${parameters.join('&')}`;
}

/** Escapes a text as the signature requires (RFC 3986, section 2.3). */
function escapeText(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Resolves with the request that the client would send. Sends nothing. */
async function buildRequest(client: S3Client, command: GetObjectCommand): Promise<HttpRequest> {
  let request: HttpRequest | undefined;
  command.middlewareStack.add(
    () => async (args) => {
      // The SDK types the request as unknown, because other protocols have other requests.
      request = args.request as HttpRequest;
      return { response: undefined, output: { $metadata: {} } };
    },
    { step: 'build', priority: 'low' },
  );
  await client.send(command);
  if (request === undefined) throw new Error('the AWS SDK built no request');
  return request;
}

function hostOf({ hostname, port }: Pick<HttpRequest, 'hostname' | 'port'>): string {
  return port === undefined ? hostname : `${hostname}:${port}`;
}
