// Reads a JSON list of Kubernetes objects from stdin, checks each against the schema of its kind, and
// prints a JSON list with one list of faults for each. The schemas let unknown keys pass, so a key
// that validation never looks at is a fault too.

import { readFileSync } from "node:fs";

// How validation sees `value`: the same, but the paths of what it looks at are put into `seen`.
function watched(value, path, seen, known = new WeakMap()) {
  if (value === null || typeof value !== "object") return value;
  if (known.has(value)) return known.get(value);
  const proxy = new Proxy(value, {
    get(target, key) {
      if (!Object.hasOwn(target, key)) return Reflect.get(target, key);
      seen.add(`${path}/${String(key)}`);
      return watched(target[key], `${path}/${String(key)}`, seen, known);
    },
    // Whoever lists the keys takes any of them: a map, such as labels.
    ownKeys(target) {
      for (const key of Reflect.ownKeys(target)) seen.add(`${path}/${String(key)}`);
      return Reflect.ownKeys(target);
    },
  });
  known.set(value, proxy);
  return proxy;
}

function* paths(value, path = "") {
  if (value === null || typeof value !== "object") return;
  for (const [key, child] of Object.entries(value)) {
    yield `${path}/${key}`;
    yield* paths(child, `${path}/${key}`);
  }
}

async function model({ apiVersion, kind }) {
  const own = apiVersion.startsWith("monitoring.coreos.com/");
  const library = own ? "@kubernetes-models/prometheus-operator" : "kubernetes-models";
  const module = await import(`${library}/${apiVersion}/${kind}`);
  return module[kind];
}

async function faults(object) {
  let Model;
  try {
    Model = await model(object);
  } catch {
    return [`no such kind: ${object.apiVersion} ${object.kind}`];
  }
  const seen = new Set();
  const own = new Model(object);
  try {
    Model.prototype.validate.call(watched(own, "", seen));
  } catch (error) {
    return [error.message];
  }
  return [...paths(own)].filter((path) => !seen.has(path)).map((path) => `unknown key: ${path}`);
}

const objects = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(await Promise.all(objects.map(faults))));
