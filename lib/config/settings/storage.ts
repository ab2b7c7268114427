import { choice, flag, integer, integerOr, optionalText, section, text } from '../values/field.ts';
import {
  BUCKET,
  HTTP_URL,
  KEY_PREFIX,
  NAME,
  PATH,
  SCHEMA_NAME,
  VARIABLE,
  VISIBLE,
} from '../values/text-rules.ts';

/** The settings for image files that the bridge writes. */
export const ARTIFACTS = section({
  driver: choice(['folder', 's3'], {
    default: 'folder',
    about:
      'Place of the images, and of the input images of jobs: folders of this machine, or a bucket of an S3 server.',
  }),
  root: text({
    default: './data/artifacts',
    rule: PATH,
    about:
      'Folder for the images if `artifacts.driver` is "folder". A relative path is relative to the working directory.',
  }),
  shared_folder: flag({
    default: false,
    about:
      'Confirms that all replicas reach the same files at `artifacts.root` and `state.directory`. Without this confirmation, a second replica does not start beside a running one.',
  }),
  permissions: choice(['owner', 'umask'], {
    default: 'owner',
    about:
      'Permissions of the images and folders that the bridge creates. With "owner", only their owner can read the files. With "umask", the umask of the process applies.',
  }),
  s3: section({
    bucket: optionalText({
      rule: BUCKET,
      about:
        'Name of the bucket. Must be set if `artifacts.driver` is "s3". The bridge finds its credentials as the AWS tools do: in the environment, in the files of AWS, or in the role of the machine.',
    }),
    prefix: text({
      default: '',
      rule: KEY_PREFIX,
      about:
        'Beginning of the names of all objects. With "", the objects are at the top of the bucket.',
    }),
    endpoint: optionalText({
      unset: 'Amazon S3',
      rule: HTTP_URL,
      about: 'URL of the server. Must be https unless `artifacts.s3.allow_http` is true.',
    }),
    allow_http: flag({
      default: false,
      about:
        'Allows an endpoint with http. The images are then readable on the network between the bridge and the server.',
    }),
    region: optionalText({
      unset: 'from the environment or the files of AWS',
      rule: VISIBLE,
      about: 'Region of the bucket.',
    }),
    path_style: flag({
      default: false,
      about:
        'True if the server expects the name of the bucket in the path instead of the host name. Most servers other than Amazon S3 expect this.',
    }),
    request_timeout_ms: integer({
      default: 10_000,
      min: 1000,
      max: 120_000,
      about: 'Maximum wait for the reply of the server, and for each further part of the reply.',
    }),
    max_attempts: integer({
      default: 3,
      max: 10,
      about:
        'Maximum number of attempts of a request that fails because of the network or the server.',
    }),
    orphans: choice(['report', 'remove'], {
      default: 'report',
      about:
        'Treatment of objects that the bridge stored and that have no record in the database. Once a week, a search finds such objects that are at least a week old, and logs their number. With "remove", the search also removes them. Do not set "remove" if a backup of the database might be restored later, or if several databases use the same prefix.',
    }),
    recheck_ms: integer({
      default: 0,
      min: 0,
      max: 60_000,
      about:
        'Time for which a cached image is delivered without asking the server whether the object has changed.',
    }),
    redirect_above_bytes: integerOr('never', {
      default: 'never',
      min: 65_536,
      about:
        'Size above which a download of an image is answered with a redirect to the bucket, for clients that can reach the bucket. The URL is valid for 60 seconds, and anyone who knows the URL can read the image without a token. The bridge compares size and checksum as the server stores them, and does not decode the image. Ranges, thumbnails and the dashboard are never redirected.',
    }),
  }),
  retention: section({
    max_age_secs: integer({
      default: 604_800,
      min: 0,
      about: 'Age at which an image is deleted, in seconds. With 0, images are kept forever.',
    }),
  }),
  cache_bytes: integer({
    default: 134_217_728,
    about: 'Maximum size of the memory cache for verified images and thumbnails, in bytes.',
  }),
});

/** The settings for the state that survives a restart. */
export const STATE = section({
  driver: choice(['sqlite', 'postgres'], {
    default: 'sqlite',
    about:
      'Database of the service. With "sqlite", one process uses a file in `state.directory`. With "postgres", any number of replicas share a PostgreSQL database, version 15 or later.',
  }),
  directory: text({
    default: './data/state',
    rule: PATH,
    about:
      'Folder for the SQLite database and its lock, and for the input images of jobs if `artifacts.driver` is "folder". A relative path is relative to the working directory.',
  }),
  seal_key_env: optionalText({
    rule: VARIABLE,
    about:
      'Name of the environment variable with the key that encrypts the login in the database: 32 bytes in base64, the same for all replicas. Must be set if `providers.agent_responses.credentials` is "state".',
  }),
  postgres: section({
    url_env: text({
      default: 'DATABASE_URL',
      rule: VARIABLE,
      about:
        'Name of the environment variable that contains the connection URL, such as `postgres://user:password@host:5432/database`.',
    }),
    listen_url_env: optionalText({
      unset: 'the variable of `state.postgres.url_env`',
      rule: VARIABLE,
      about:
        'Name of the environment variable that contains the connection URL for notifications. Set this if the other URL leads to a pooler that assigns a connection to each transaction, because such a pooler delivers no notifications.',
    }),
    schema: text({
      default: 'image_bridge',
      rule: SCHEMA_NAME,
      about: 'Name of the schema that contains the tables. The first start creates the schema.',
    }),
    max_connections: integer({
      default: 10,
      min: 2,
      max: 200,
      about: 'Maximum number of connections of one replica.',
    }),
    wakeups: choice(['notify', 'poll'], {
      default: 'notify',
      about:
        'With "notify", one more connection receives the notifications of other replicas. With "poll", a replica notices their changes after at most `state.postgres.poll_ms`.',
    }),
    poll_ms: integer({
      default: 2000,
      min: 100,
      max: 60_000,
      about:
        'Interval between checks for changes of other replicas. The checks also run with notifications, because notifications can be lost.',
    }),
    statement_timeout_ms: integer({
      default: 5000,
      min: 500,
      max: 60_000,
      about: 'Maximum time of one statement, and of the wait for a connection.',
    }),
    migrate: flag({
      default: true,
      about:
        'Migrates an older schema when the bridge starts. With false, the bridge does not start with an older schema, and `image-bridge state migrate` migrates the schema.',
    }),
  }),
});

/** The settings of one process among several that share a state. */
export const REPLICA = section({
  name: optionalText({
    unset: 'the host name',
    rule: NAME,
    about: 'Name of this process in logs and diagnostics.',
  }),
  work: flag({
    default: true,
    about:
      'True if this replica runs jobs. With false, the replica only serves requests, and other replicas run the jobs.',
  }),
  lease_ms: integer({
    default: 30_000,
    min: 5000,
    max: 300_000,
    about:
      'Time after which other replicas consider this replica gone if it does not reach the database. Its running jobs then end as interrupted.',
  }),
});
