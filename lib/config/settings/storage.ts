import { choice, flag, integer, optionalText, section, text } from '../values/field.ts';
import { BUCKET, HTTP_URL, KEY_PREFIX, PATH, VISIBLE } from '../values/text-rules.ts';

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
  permissions: choice(['owner', 'umask'], {
    default: 'owner',
    about:
      'Permissions of the images and folders that the bridge creates. With "owner", only their owner can read the files. With "umask", the umask of the process applies.',
  }),
  s3: section({
    bucket: optionalText({
      rule: BUCKET,
      about:
        'Name of the bucket. Must be set if `artifacts.driver` is "s3". The bridge finds its credentials as the AWS tools do: in the environment, in the files of AWS, or at the machine.',
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
      about:
        'Maximum time until the server answers a request, and between two pieces of its answer.',
    }),
    max_attempts: integer({
      default: 3,
      max: 10,
      about:
        'Maximum number of tries of a request that fails because of the network or the server.',
    }),
    recheck_ms: integer({
      default: 0,
      min: 0,
      max: 60_000,
      about:
        'Time for which a cached image is delivered without asking the server whether the object has changed.',
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
  directory: text({
    default: './data/state',
    rule: PATH,
    about:
      'Folder for the SQLite database and its lock, and for the input images of jobs if `artifacts.driver` is "folder". A relative path is relative to the working directory.',
  }),
});
