import { isHaproxyInstalled, startBalancer } from './balancer.ts';
import { freePort } from './free-port.ts';
import { createSchema, HAS_POSTGRES } from './postgres.ts';
import { createBucket, HAS_S3 } from './s3-server.ts';
import { freshFolder, type StartedBridge, startBridge } from './start-bridge.ts';

/** Two replicas of the compiled program on one database and one bucket, behind HAProxy. */
export interface Replicas {
  /** The address of the balancer. */
  readonly address: string;
  /** The replicas by their own addresses. */
  readonly each: readonly [StartedBridge, StartedBridge];
  /** Starts an ended replica again, on the same port. */
  restart(index: 0 | 1): Promise<void>;
  /** Ends the balancer, and removes the tables and the bucket. The caller ends the replicas with `cleanUp`. */
  stop(): Promise<void>;
}

interface Options {
  readonly set?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** True if all programs that replicas need are installed or must be. */
export const HAS_REPLICAS: boolean = HAS_POSTGRES && HAS_S3 && (await isHaproxyInstalled());

/** Starts two replicas with these settings. */
export async function startReplicas({ set = [], env = {} }: Options = {}): Promise<Replicas> {
  const [database, s3] = await Promise.all([createSchema(), createBucket()]);
  const variables = {
    DATABASE_URL: database.url,
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    AWS_REGION: s3.region,
    ...env,
  };
  const settings = [
    'state.driver=postgres',
    `state.postgres.schema=${database.schema}`,
    'artifacts.driver=s3',
    `artifacts.s3.bucket=${s3.bucket}`,
    `artifacts.s3.endpoint=${s3.endpoint}`,
    'artifacts.s3.allow_http=true',
    'artifacts.s3.path_style=true',
    ...set,
  ];
  const start = async (port: number) =>
    startBridge({
      cwd: await freshFolder(),
      port,
      set: settings,
      env: variables,
    });
  const ports = [await freePort(), await freePort()] as const;
  const each = await Promise.all([start(ports[0]), start(ports[1])]);
  const balancer = await startBalancer(ports);
  return {
    address: balancer.address,
    each,
    async restart(index) {
      each[index] = await start(ports[index]);
    },
    async stop() {
      await balancer.stop();
      await Promise.all(each.map((replica) => replica.end('SIGKILL')));
      await Promise.all([database.drop(), s3.remove()]);
    },
  };
}
