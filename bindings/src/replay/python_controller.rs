//! Controllers written in Python: adapters that call the methods of an object.
//!
//! The first exception ends the run: it is kept in [`Failure`], and the adapters stay silent from then on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use winf_engine::controller::{
    Ack, Congestion, Controller, Echo, Endpoint, FlowSetup, FlowView, Mode, NodeSetup, NodeView, Receiver, Router,
};
use winf_engine::cross_layer::CrossLayer;
use winf_engine::index::LocalLink;
use winf_engine::packet::{Header, Packet};
use winf_engine::units::Nanos;

use super::views::{
    AckView, CongestionView, CrossLayerView, FlowSetupView, FlowViewView, LinkViewView, NodeSetupView, PacketView,
};

/// The first exception of a run.
#[derive(Default)]
pub struct Failure {
    raised: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

impl Failure {
    /// Whether there was one.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// Takes the exception.
    pub fn take(&self) -> Option<PyErr> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn keep(&self, error: PyErr) {
        let mut kept = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(error);
        self.raised.store(true, Ordering::Relaxed);
    }
}

/// A controller written in Python, for one run.
pub struct PythonController {
    name: String,
    object: Py<PyAny>,
    failure: Arc<Failure>,
}

impl PythonController {
    /// `object` has a method `endpoint`, and `receiver` and `router` if it likes.
    pub fn new(name: String, object: Py<PyAny>, failure: Arc<Failure>) -> Self {
        Self { name, object, failure }
    }

    /// The object that one of the methods makes; `None` where there is no such method, or it returns `None`.
    fn part(
        &self,
        method: &str,
        setup: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>,
        hooks: &[&str],
    ) -> Option<Part> {
        if self.failure.is_raised() {
            return None;
        }
        let made = Python::attach(|py| {
            let Some(method) = self.object.bind(py).getattr_opt(method)? else { return Ok(None) };
            let object = method.call1((setup(py)?,))?;
            if object.is_none() {
                return Ok(None);
            }
            Part::new(&object, hooks, &self.failure).map(Some)
        });
        made.unwrap_or_else(|error| {
            self.failure.keep(error);
            None
        })
    }
}

impl Controller for PythonController {
    fn name(&self) -> &str {
        &self.name
    }

    fn mode(&self) -> Mode {
        Mode::Corrected
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        let part = self.part("endpoint", |py| Ok(Py::new(py, FlowSetupView::from(flow))?.into_any()), &ENDPOINT);
        if let Some(missing) = part.as_ref().and_then(|part| part.lacks(&["on_ack", "window_bytes"])) {
            self.failure.keep(PyAttributeError::new_err(format!("the endpoint has no method {missing}")));
        } else if part.is_none() && !self.failure.is_raised() {
            self.failure
                .keep(PyTypeError::new_err("endpoint(flow) must return an object with on_ack and window_bytes"));
        }
        Box::new(PythonEndpoint(part.unwrap_or_else(|| Part::silent(&self.failure))))
    }

    fn receiver(&self, flow: &FlowSetup) -> Box<dyn Receiver> {
        let part = self.part("receiver", |py| Ok(Py::new(py, FlowSetupView::from(flow))?.into_any()), &["on_data"]);
        part.map_or_else(|| Box::new(Echo) as Box<dyn Receiver>, |part| Box::new(PythonReceiver(part)))
    }

    fn router(&self, node: &NodeSetup) -> Option<Box<dyn Router>> {
        let part = self.part("router", |py| Ok(Py::new(py, NodeSetupView::from(node))?.into_any()), &ROUTER);
        part.map(|part| Box::new(PythonRouter(part)) as Box<dyn Router>)
    }
}

const ENDPOINT: [&str; 8] = [
    "on_ack",
    "window_bytes",
    "on_send",
    "on_congestion",
    "next_timer",
    "on_timer",
    "pacing_bytes_per_s",
    "slow_start_threshold_bytes",
];

const ROUTER: [&str; 4] = ["on_arrival", "on_departure", "next_timer", "on_timer"];

/// An object written by the user, and the methods that it has.
struct Part {
    methods: Vec<(String, Py<PyAny>)>,
    failure: Arc<Failure>,
}

impl Part {
    fn new(object: &Bound<'_, PyAny>, hooks: &[&str], failure: &Arc<Failure>) -> PyResult<Self> {
        let found = hooks.iter().filter_map(|&hook| match object.getattr_opt(hook) {
            Ok(method) => method.map(|method| Ok((hook.to_owned(), method.unbind()))),
            Err(error) => Some(Err(error)),
        });
        Ok(Self { methods: found.collect::<PyResult<_>>()?, failure: Arc::clone(failure) })
    }

    /// An object without methods.
    fn silent(failure: &Arc<Failure>) -> Self {
        Self { methods: Vec::new(), failure: Arc::clone(failure) }
    }

    fn lacks<'a>(&self, hooks: &[&'a str]) -> Option<&'a str> {
        hooks.iter().copied().find(|&hook| self.method(hook).is_none())
    }

    fn method(&self, hook: &str) -> Option<&Py<PyAny>> {
        self.methods.iter().find(|(name, _)| name == hook).map(|(_, method)| method)
    }

    /// Calls a method if there is one, and reads what it returned; `None` after an exception.
    fn call<T>(
        &self,
        hook: &str,
        arguments: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyTuple>>,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        let method = self.method(hook).filter(|_| !self.failure.is_raised())?;
        let answer = Python::attach(|py| read(&method.bind(py).call1(arguments(py)?)?));
        answer.map_err(|error| self.failure.keep(error)).ok()
    }

    /// Calls a method without arguments that returns a number that is not negative, or `None`.
    fn number(&self, hook: &str) -> Option<f64> {
        let number = |answer: &Bound<'_, PyAny>| match answer.extract::<Option<f64>>()? {
            Some(value) if value.is_nan() || value < 0.0 => {
                Err(PyValueError::new_err(format!("{hook} returned {value}, which is not a number of at least 0")))
            }
            value => Ok(value),
        };
        self.call(hook, |py| Ok(PyTuple::empty(py)), number).flatten()
    }

    fn next_timer(&self) -> Option<Nanos> {
        self.call("next_timer", |py| Ok(PyTuple::empty(py)), |answer| answer.extract::<Option<Nanos>>()).flatten()
    }

    /// Calls a method with a packet as its last argument, whose header it may write.
    fn with_packet(
        &self,
        hook: &str,
        packet: &mut Packet,
        others: impl for<'py> FnOnce(Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>>,
    ) {
        let mut header = None;
        let shown = PacketView::from(&*packet);
        let before = shown.header;
        let slot = &mut header;
        self.call(
            hook,
            move |py| {
                let object = Bound::new(py, shown)?;
                *slot = Some(object.clone().unbind());
                let mut arguments = others(py)?;
                arguments.push(object.into_any());
                PyTuple::new(py, arguments)
            },
            |_| Ok(()),
        );
        let Some(object) = header else { return };
        let after = Python::attach(|py| object.borrow(py).header);
        if after.iter().any(|number| number.is_nan()) {
            self.failure.keep(PyValueError::new_err(format!("{hook} wrote a header that holds NaN")));
        } else if after != before {
            packet.header = Header::Custom(after);
        }
    }
}

struct PythonEndpoint(Part);

impl Endpoint for PythonEndpoint {
    fn on_send(&mut self, now: Nanos, flow: &FlowView, packet: &mut Packet) {
        self.0.with_packet("on_send", packet, |py| Ok(vec![number(py, now)?, object(py, FlowViewView::from(flow))?]));
    }

    fn on_ack(&mut self, now: Nanos, flow: &FlowView, ack: &Ack) {
        let (flow, ack) = (FlowViewView::from(flow), AckView::from(ack));
        self.0.call("on_ack", |py| (now, flow, ack).into_pyobject(py), |_| Ok(()));
    }

    fn on_congestion(&mut self, now: Nanos, flow: &FlowView, event: Congestion) {
        let (flow, event) = (FlowViewView::from(flow), CongestionView::from(event));
        self.0.call("on_congestion", |py| (now, flow, event).into_pyobject(py), |_| Ok(()));
    }

    fn next_timer(&self) -> Option<Nanos> {
        self.0.next_timer()
    }

    fn on_timer(&mut self, now: Nanos, flow: &FlowView) {
        self.0.call("on_timer", |py| (now, FlowViewView::from(flow)).into_pyobject(py), |_| Ok(()));
    }

    fn window_bytes(&self) -> f64 {
        self.0.number("window_bytes").unwrap_or(0.0)
    }

    fn pacing_bytes_per_s(&self) -> Option<f64> {
        self.0.number("pacing_bytes_per_s")
    }

    fn slow_start_threshold_bytes(&self) -> Option<f64> {
        self.0.number("slow_start_threshold_bytes")
    }
}

struct PythonReceiver(Part);

impl Receiver for PythonReceiver {
    fn on_data(&mut self, now: Nanos, link: &CrossLayer, packet: &Packet, ack: &mut Packet) {
        // As with those that have no receiver of their own, the header goes back unless it is written anew.
        ack.header = packet.header;
        self.0.with_packet("on_data", ack, |py| {
            let arrived = object(py, PacketView::from(packet))?;
            Ok(vec![number(py, now)?, object(py, CrossLayerView::from(link))?, arrived])
        });
    }
}

struct PythonRouter(Part);

impl PythonRouter {
    fn passes(&self, hook: &str, now: Nanos, view: &NodeView, link: LocalLink, packet: &mut Packet) {
        if self.0.method(hook).is_some() {
            self.0.with_packet(hook, packet, |py| {
                Ok(vec![number(py, now)?, links(py, view)?, number(py, u64::from(link.0))?])
            });
        }
    }
}

impl Router for PythonRouter {
    fn on_arrival(&mut self, now: Nanos, view: &NodeView, link: LocalLink, packet: &mut Packet) {
        self.passes("on_arrival", now, view, link, packet);
    }

    fn on_departure(&mut self, now: Nanos, view: &NodeView, link: LocalLink, packet: &mut Packet) {
        self.passes("on_departure", now, view, link, packet);
    }

    fn next_timer(&self) -> Option<Nanos> {
        self.0.next_timer()
    }

    fn on_timer(&mut self, now: Nanos, view: &NodeView) {
        self.0.call("on_timer", |py| PyTuple::new(py, [number(py, now)?, links(py, view)?]), |_| Ok(()));
    }
}

fn number(py: Python<'_>, value: u64) -> PyResult<Bound<'_, PyAny>> {
    Ok(value.into_pyobject(py)?.into_any())
}

fn object<'py, T>(py: Python<'py>, value: T) -> PyResult<Bound<'py, PyAny>>
where
    T: pyo3::PyClass + Into<pyo3::PyClassInitializer<T>>,
{
    Ok(Bound::new(py, value)?.into_any())
}

fn links<'py>(py: Python<'py>, view: &NodeView) -> PyResult<Bound<'py, PyAny>> {
    let links = view.links.iter().map(|link| Bound::new(py, LinkViewView::from(link)));
    Ok(PyList::new(py, links.collect::<PyResult<Vec<_>>>()?)?.into_any())
}
