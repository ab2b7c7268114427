// What the bundle has instead of `node:http`. A name that is missing here is an error of the build.
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
