// One call of the answer's JavaScript: reads {plan, call} from standard input, writes one line to GATE_RESULT_FD.
// The counterpart of python_call.py; what it writes is no more than the value that the code gives.
'use strict';
const fs = require('fs');
const path = require('path');

const LONGEST = 400000;
const PATIENCE = 2000; // milliseconds

function decode(value) {
  if (Array.isArray(value)) return value.map(decode);
  if (value === null || typeof value !== 'object') return value;
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0][0] === '$') {
    const inner = value[keys[0]];
    switch (keys[0]) {
      case '$tuple': return inner.map(decode);
      case '$set': return new Set(inner.map(decode));
      case '$bytes': return Buffer.from(inner, 'base64');
      case '$int': return BigInt(inner);
      case '$float': return { nan: NaN, inf: Infinity, '-inf': -Infinity }[inner];
      case '$dict': return new Map(inner.map(([key, one]) => [decode(key), decode(one)]));
      case '$undefined': return undefined;
      case '$datetime': return new Date(inner);
      case '$repeat': {
        const one = decode(inner[0]);
        if (typeof one === 'string') return one.repeat(inner[1]);
        return Array.from({ length: one.length * inner[1] }, (_, at) => one[at % one.length]);
      }
      case '$range': {
        const [start, stop, step = 1] = inner.length === 1 ? [0, inner[0]] : inner;
        return Array.from({ length: Math.max(0, Math.ceil((stop - start) / step)) }, (_, at) => start + at * step);
      }
    }
  }
  return Object.fromEntries(keys.map((key) => [key, decode(value[key])]));
}

function encode(value, depth = 0) {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (value === undefined) return { $undefined: true };
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    return { $float: Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf' };
  }
  if (typeof value === 'bigint') return { $int: value.toString() };
  if (depth > 60) return { $object: 'too deep' };
  if (Array.isArray(value)) return Array.from(value, (one) => encode(one, depth + 1));
  if (value instanceof Set) return { $set: [...value].map((one) => encode(one, depth + 1)) };
  if (value instanceof Map) return { $dict: [...value].map(([key, one]) => [encode(key, depth + 1), encode(one, depth + 1)]) };
  if (value instanceof Date) return { $datetime: Number.isNaN(value.getTime()) ? 'invalid' : value.toISOString() };
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  if (typeof value === 'object') {
    const proto = Object.getPrototypeOf(value);
    const own = Object.keys(value);
    if (proto === null || proto.constructor === undefined || !(value instanceof Error)) {
      if (own.some((key) => key[0] === '$')) return { $dict: own.map((key) => [key, encode(value[key], depth + 1)]) };
      return Object.fromEntries(own.map((key) => [key, encode(value[key], depth + 1)]));
    }
  }
  return { $object: typeof value, shown: String(value).slice(0, 300) };
}

function asLine(record) {
  let line = JSON.stringify(record);
  if (line.length > LONGEST && 'value' in record) line = JSON.stringify({ ...record, value: { $object: 'too large' } });
  return line + '\n';
}

const BUILTINS = [Array, String, Number, Boolean, Object, Map, Set, WeakMap, Promise, RegExp, Date, Error, Function, Symbol, BigInt,
  Math, JSON, Reflect, Buffer, URL, URLSearchParams, process, console];

function facts(error) {
  const mro = [];
  for (let kind = error && typeof error === 'object' ? Object.getPrototypeOf(error) : null; kind; kind = Object.getPrototypeOf(kind)) {
    if (kind.constructor && kind.constructor !== Object && mro.at(-1) !== kind.constructor.name) mro.push(kind.constructor.name);
  }
  if (!mro.length) mro.push('thrown ' + typeof error);
  const message = error instanceof Error || (error && error.message !== undefined) ? String(error.message) : String(error);
  const found = { mro: mro.slice(0, 20), message: message.replaceAll(process.cwd() + '/', '').slice(0, 1000), frames: [] };
  const called = /([\w$]+) is not a (?:function|constructor)$/.exec(message);
  if (called) found.builtin = BUILTINS.some((kind) => called[1] in kind || (kind.prototype && called[1] in kind.prototype));
  if (error && typeof error.code === 'string') found.code = error.code.slice(0, 100);
  if (error && typeof error.stack === 'string') found.stack = error.stack.replaceAll(process.cwd() + '/', '').slice(0, 1000);
  return found;
}

const isModule = (source) => /^\s*(?:import\s*(?:[\w*{"'])|export\s)/m.test(source);

async function load(plan) {
  const source = fs.readFileSync(plan.file, 'utf8');
  const entry = plan.entry.split('.')[0];
  const named = /^[A-Za-z_$][\w$]*$/.test(entry);
  if (isModule(source)) {
    const file = path.resolve(plan.file.replace(/\.[cm]?js$/, '') + '.gate.mjs');
    const tail = named ? `\n;globalThis.__gateEntry = typeof ${entry} === 'undefined' ? undefined : ${entry};\n` : '';
    fs.writeFileSync(file, source + tail);
    const exported = await import('file://' + file);
    const fallback = exported.default;
    return { ...exported, [entry]: exported[entry] ?? globalThis.__gateEntry ?? fallback };
  }
  const Module = require('module');
  const made = new Module(path.resolve(plan.file), null);
  made.filename = path.resolve(plan.file);
  made.paths = Module._nodeModulePaths(process.cwd());
  const tail = named ? `\n;globalThis.__gateEntry = typeof ${entry} === 'undefined' ? undefined : ${entry};\n` : '';
  made._compile(source + tail, made.filename);
  const exported = made.exports;
  const own = exported && (typeof exported === 'object' || typeof exported === 'function') ? exported : {};
  const found = own[entry] ?? globalThis.__gateEntry ?? (typeof exported === 'function' ? exported : undefined);
  return Object.assign(Object.create(null), own, entry ? { [entry]: found } : {});
}

function entryOf(loaded, dotted) {
  return dotted.split('.').reduce((found, part) => (found === undefined || found === null ? undefined : found[part]), loaded);
}

async function perform(plan, call, loaded) {
  const entry = plan.entry ? entryOf(loaded, plan.entry) : undefined;
  if (call.kind === 'call') return entry(...decode(call.args));
  const own = Object.entries(loaded).filter(([name]) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default');
  const names = { ...Object.fromEntries(own), entry, solution: loaded, module: loaded, require, folder: process.cwd(), ...decode(call.names) };
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const statements = call.code.trimEnd().split('\n');
  const last = statements.pop().replace(/;\s*$/, '');
  const body = statements.join('\n') + '\nreturn (' + last + '\n);';
  return new AsyncFunction(...Object.keys(names), body)(...Object.values(names));
}

async function recordOf(plan, call) {
  let loaded;
  const there = process.cwd();
  try {
    if (call !== null && call.ahead) {
      new Function('require', call.ahead)(require);
      require('module').syncBuiltinESMExports();
    }
    process.chdir(plan.home);
    loaded = await load(plan);
    process.chdir(there);
  } catch (error) {
    return { load: error instanceof SyntaxError ? { syntax: 'SyntaxError: ' + error.message } : { error: facts(error) } };
  }
  if (plan.entry && entryOf(loaded, plan.entry) === undefined) return { load: { missing: plan.entry } };
  if (call === null) return { load: {} };
  try {
    return { value: encode(await perform(plan, call, loaded)) };
  } catch (error) {
    return { error: facts(error) };
  }
}

async function main() {
  const results = Number(process.env.GATE_RESULT_FD);
  delete process.env.GATE_RESULT_FD;
  const { plan, call } = JSON.parse(fs.readFileSync(0, 'utf8'));
  const line = Buffer.from(asLine(await recordOf(plan, call)));
  for (let at = 0; at < line.length;) at += fs.writeSync(results, line, at);
  if (call === null || !(call.look || call.watch.length)) process.exit(0);
  setTimeout(() => process.exit(0), PATIENCE).unref(); // what was started and not waited for is seen too
}

main().catch((error) => { process.stderr.write(String(error && error.stack)); process.exit(3); });
