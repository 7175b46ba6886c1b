// Takes the place of the native part of AWS's runtime client, which only its own build image can make: the same three calls
// over node:http. Preloaded, so that the client itself runs as AWS ships it.
const { request } = require("node:http");
const Module = require("node:module");

const invocations = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;

function send(method, path, body) {
  return new Promise((resolve, reject) => {
    const sent = request(`${invocations}/${path}`, { method }, async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      resolve({ bodyJson: text, headers: response.headers });
    });
    sent.on("error", reject).end(body);
  });
}

function end(error) {
  process.stderr.write(`${error}\n`);
  process.exit(1);
}

const client = {
  next: () => send("GET", "next"),
  done: (id, body) => void send("POST", `${id}/response`, body).catch(end),
  error: (id, body) => void send("POST", `${id}/error`, body).catch(end),
};

Module._extensions[".node"] = (loaded) => {
  loaded.exports = client;
};
