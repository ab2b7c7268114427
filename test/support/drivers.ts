import { createHash } from 'node:crypto';

/** Returns the variables that select the drivers of this run for a bridge that works in a folder. */
export type DriverVariables = (folder: string) => Readonly<Record<string, string>>;

/** True if `STORES` selects PostgreSQL and a bucket instead of the default drivers. */
export const IS_SCALED = process.env['STORES'] === 'scaled';

/**
 * Resolves with the drivers that `STORES` selects: with `scaled`, PostgreSQL and a bucket, otherwise the default drivers. Bridges
 * that work in the same folder share a state, and all test files share the servers, which lose everything at the end of the run.
 */
export async function openDrivers(): Promise<DriverVariables> {
  if (!IS_SCALED) return () => ({});
  // These modules need vitest. The benchmarks, which run without vitest, use the default drivers.
  const { createBucket } = await import('./s3-server.ts');
  const { createSchema } = await import('./postgres.ts');
  const [s3, postgres] = await Promise.all([createBucket(), createSchema()]);
  const access = {
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    AWS_REGION: s3.region,
  };
  // The AWS SDK of a bridge in this process reads the variables of the process.
  Object.assign(process.env, access);
  return (folder) => {
    const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
    return {
      ...access,
      DATABASE_URL: postgres.url,
      IMAGE_BRIDGE__STATE__DRIVER: 'postgres',
      IMAGE_BRIDGE__STATE__POSTGRES__SCHEMA: `test_${name}`,
      IMAGE_BRIDGE__STATE__POSTGRES__MAX_CONNECTIONS: '4',
      IMAGE_BRIDGE__REPLICA__LEASE_MS: '5000',
      IMAGE_BRIDGE__ARTIFACTS__DRIVER: 's3',
      IMAGE_BRIDGE__ARTIFACTS__S3__BUCKET: s3.bucket,
      IMAGE_BRIDGE__ARTIFACTS__S3__PREFIX: name,
      IMAGE_BRIDGE__ARTIFACTS__S3__ENDPOINT: s3.endpoint,
      IMAGE_BRIDGE__ARTIFACTS__S3__ALLOW_HTTP: 'true',
      IMAGE_BRIDGE__ARTIFACTS__S3__PATH_STYLE: 'true',
    };
  };
}
